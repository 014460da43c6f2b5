// swift-tools-version: 6.3

import PackageDescription

// A separate package, so that the other clients are not dependencies of the product.
let package = Package(
    name: "sallyport-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sallyport", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
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
        .executableTarget(
            name: "client-resource",
            dependencies: [
                "CMalloc",
                "Measuring",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Sallyport", package: "sallyport"),
                .product(name: "SallyportJOSE", package: "sallyport"),
                .product(name: "SallyportResource", package: "sallyport"),
            ],
            path: "Sources/ResourceCallsClient"
        ),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .executableTarget(name: "client-libcurl", dependencies: ["CLibcurl"], path: "Sources/LibcurlClient"),
        .executableTarget(
            name: "client-async-http-client",
            dependencies: [
                "Measuring",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/AsyncHTTPClientClient"
        ),
        .executableTarget(
            name: "client-prototype",
            dependencies: [
                "Measuring",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/PrototypeClient"
        ),
        .executableTarget(
            name: "client-url-session",
            dependencies: ["Measuring"],
            path: "Sources/URLSessionClient"
        ),
        .executableTarget(
            name: "benchmark-server",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/BenchmarkServer"
        ),
        .target(name: "Comparing"),
        .executableTarget(name: "benchmarks", dependencies: ["Comparing"], path: "Sources/Benchmarks"),
        .testTarget(name: "ComparingTests", dependencies: ["Comparing"]),
    ],
    swiftLanguageModes: [.v6]
)
