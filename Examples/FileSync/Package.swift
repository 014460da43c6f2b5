// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "file-sync",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "file-sync",
            dependencies: [.product(name: "Sallyport", package: "sallyport")],
            path: "Sources/FileSync"
        )
    ]
)
