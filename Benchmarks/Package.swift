// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that the peers are no dependency of the product.
let package = Package(
    name: "sallyport-benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "sallyport", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        .target(name: "Measuring"),
        .executableTarget(
            name: "client-sallyport",
            dependencies: [
                "Measuring",
                .product(name: "Sallyport", package: "sallyport"),
            ],
            path: "Sources/SallyportClient"
        ),
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .executableTarget(name: "client-libcurl", dependencies: ["CLibcurl"], path: "Sources/LibcurlClient"),
        .executableTarget(
            name: "benchmark-server",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/BenchmarkServer"
        ),
    ],
    swiftLanguageModes: [.v6]
)
