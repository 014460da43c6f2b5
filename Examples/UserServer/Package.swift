// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "user-server",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "sallyport", path: "../..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "user-server",
            dependencies: [
                .product(name: "Sallyport", package: "sallyport"),
                .product(name: "SallyportOAuth", package: "sallyport"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Sources/UserServer"
        )
    ]
)
