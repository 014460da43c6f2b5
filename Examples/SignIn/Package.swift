// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "sign-in",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "sign-in",
            dependencies: [
                .product(name: "Sallyport", package: "sallyport"),
                .product(name: "SallyportLoopback", package: "sallyport"),
                .product(name: "SallyportOAuth", package: "sallyport"),
            ],
            path: "Sources/SignIn"
        )
    ]
)
