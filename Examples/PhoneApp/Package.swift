// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "phone-app",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "PhoneAPI", targets: ["PhoneAPI"])],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [
        .target(
            name: "PhoneAPI",
            dependencies: [
                .product(name: "Sallyport", package: "sallyport"),
                .product(name: "SallyportOAuth", package: "sallyport"),
            ]
        )
    ]
)
