// swift-tools-version: 6.3

import PackageDescription

// A separate package, as an exporter is a dependency of an app, not of the SDK.
let package = Package(
    name: "telemetry-example",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sallyport", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "telemetry-example",
            dependencies: [
                .product(name: "Sallyport", package: "sallyport"),
                .product(name: "SallyportTelemetry", package: "sallyport"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Sources/TelemetryExample"
        )
    ]
)
