// swift-tools-version: 6.3

import PackageDescription

let apple: [Platform] = [.iOS, .macCatalyst, .macOS, .tvOS, .visionOS, .watchOS]
let tools = TargetDependencyCondition.when(traits: ["Tools"])

let package = Package(
    name: "sallyport",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Sallyport", targets: ["Sallyport", "SallyportTransfers", "SallyportService"]),
        .library(name: "SallyportTransport", targets: ["SallyportTransport"]),
        .library(name: "SallyportURLSession", targets: ["SallyportURLSession"]),
        .library(name: "SallyportEngine", targets: ["SallyportEngine"]),
        .library(name: "SallyportJOSE", targets: ["SallyportJOSE"]),
        .library(name: "SallyportOAuth", targets: ["SallyportOAuth"]),
        .library(name: "SallyportLoopback", targets: ["SallyportLoopback"]),
        .library(name: "SallyportJourney", targets: ["SallyportJourney"]),
        .library(name: "SallyportResource", targets: ["SallyportResource"]),
        .library(name: "SallyportCompression", targets: ["SallyportCompression"]),
        .library(name: "SallyportPostgres", targets: ["SallyportPostgres"]),
        .library(name: "SallyportTelemetry", targets: ["SallyportTelemetry"]),
        .library(name: "SallyportTesting", targets: ["SallyportTesting"]),
        .library(name: "SallyportTestTraits", targets: ["SallyportTestTraits"]),
        .library(name: "SallyportGateway", targets: ["SallyportGateway"]),
        .library(name: "PingNetworkCompatibility", targets: ["PingNetworkCompatibility", "PingNetworkThrowing"]),
        .library(name: "PingInterceptorsCompatibility", targets: ["PingInterceptorsCompatibility"]),
        .library(name: "NetworkServiceCompatibility", targets: ["NetworkServiceCompatibility"]),
        .executable(name: "sallyport", targets: ["SallyportCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Tools"]),
        .trait(
            name: "Tools",
            description:
                "The command and the development server. An app that writes `traits: []` does not fetch their dependencies."
        ),
        .trait(
            name: "Compression",
            description: "Brotli and zstd decoding; needs libbrotli-dev and libzstd-dev of Debian."
        ),
        .trait(
            name: "PostgreSQL",
            description: "A store for records in a PostgreSQL database; needs libpq-dev of Debian."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // Without its traits, which would build swift-configuration and use all of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "CCachedRead"),
        .target(
            name: "SallyportStorage",
            dependencies: [
                .target(name: "CCachedRead", condition: .when(platforms: [.linux])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(
            name: "SallyportTransport",
            dependencies: [
                "SallyportStorage",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Apart, as FoundationNetworking would bring libcurl and thirty libraries more into every program on Linux.
        .target(
            name: "SallyportURLSession",
            dependencies: [
                "SallyportStorage", "SallyportTransport", .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "SallyportEngine",
            dependencies: [
                "SallyportStorage",
                "SallyportTransport",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .target(
            name: "Sallyport",
            dependencies: [
                "SallyportStorage",
                "SallyportTransport",
                .target(name: "SallyportEngine", condition: .when(platforms: [.linux])),
                .target(name: "SallyportURLSession", condition: .when(platforms: apple)),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "SallyportTransfers",
            dependencies: [
                "Sallyport",
                "SallyportStorage",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "SallyportService",
            dependencies: ["Sallyport", "SallyportTransfers", "SallyportTransport"]
        ),
        .target(
            name: "SallyportJOSE",
            dependencies: [
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "SallyportOAuth",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportStorage",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Apart, so that apps on Apple platforms do not link SwiftNIO.
        .target(
            name: "SallyportLoopback",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportOAuth",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(
            name: "SallyportJourney",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportOAuth",
                "SallyportStorage",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "SallyportResource",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportOAuth",
                "SallyportStorage",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .systemLibrary(name: "CBrotliDecoder", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstandard", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "SallyportCompression",
            dependencies: [
                "SallyportStorage",
                "SallyportTransport",
                .target(name: "CBrotliDecoder", condition: .when(platforms: [.linux], traits: ["Compression"])),
                .target(name: "CZstandard", condition: .when(platforms: [.linux], traits: ["Compression"])),
            ]
        ),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "SallyportPostgres",
            dependencies: [
                "SallyportJourney",
                "SallyportOAuth",
                "SallyportStorage",
                .target(name: "CPostgres", condition: .when(platforms: [.linux], traits: ["PostgreSQL"])),
            ]
        ),
        .target(
            name: "SallyportTelemetry",
            dependencies: [
                "SallyportStorage",
                "Sallyport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .target(
            name: "SallyportTesting",
            dependencies: [
                "Sallyport", "SallyportStorage", "SallyportTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // Apart, because it links Swift Testing, which an app that uses the mock in its previews or demo mode does not have.
        .target(name: "SallyportTestTraits", dependencies: ["SallyportTesting"]),
        .target(
            name: "SallyportGateway",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportResource",
                "SallyportStorage",
                "SallyportTransfers",
                "SallyportTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: tools),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: tools),
                .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: tools),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: tools),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: tools),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tools),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: tools),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        // The API of PingNetwork. HttpClientFactory.swift and HttpClient+Throwing.swift explain why they are separate modules.
        .target(name: "PingNetworkFactory", dependencies: ["Sallyport"]),
        .target(
            name: "PingNetworkCompatibility",
            dependencies: [
                "PingNetworkFactory", "Sallyport", "SallyportStorage", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "PingNetworkThrowing", dependencies: ["PingNetworkCompatibility"]),
        // The request interceptors of the Ping SDK for iOS.
        .target(name: "PingInterceptorsCompatibility", dependencies: ["Sallyport"]),
        // The API of the library Network Service, for apps that change only their import.
        .target(
            name: "NetworkServiceCompatibility",
            dependencies: [
                "Sallyport", "SallyportOAuth", "SallyportService", "SallyportStorage", "SallyportTransfers",
            ]
        ),
        .executableTarget(
            name: "SallyportCommand",
            dependencies: [
                "Sallyport",
                "SallyportCompression",
                "SallyportEngine",
                "SallyportGateway",
                "SallyportJOSE",
                "SallyportJourney",
                "SallyportLoopback",
                "SallyportPostgres",
                "SallyportResource",
                "SallyportOAuth",
                "SallyportService",
                "SallyportStorage",
                "SallyportTransfers",
                "SallyportTransport",
                .target(name: "SallyportURLSession", condition: .when(platforms: apple)),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
            ]
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "SallyportStorage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/TestSupport"
        ),
        .target(
            name: "TransportConformance",
            dependencies: [
                "SallyportTransport",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/TransportConformance"
        ),
        // What a process does that shares a session with others, for the tests that start and kill several.
        .target(
            name: "SessionSupport",
            dependencies: ["Sallyport", "SallyportJourney", "SallyportOAuth", "SallyportResource"],
            path: "Tests/SessionSupport"
        ),
        .executableTarget(
            name: "SessionWorker",
            dependencies: [
                "SallyportStorage", "Sallyport", "SallyportJourney", "SallyportOAuth", "SallyportPostgres",
                "SallyportResource", "SessionSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/SessionWorker"
        ),
        .executableTarget(
            name: "TransferWorker",
            dependencies: ["Sallyport", "SallyportTransfers"],
            path: "Tests/TransferWorker"
        ),
        .executableTarget(
            name: "CacheWorker",
            dependencies: ["Sallyport"],
            path: "Tests/CacheWorker"
        ),
        // Clients over mocks, for the tests of the core and the modules above it.
        .target(
            name: "ClientTestSupport",
            dependencies: [
                "Sallyport", "SallyportStorage", "SallyportTesting", "SallyportTransport",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/ClientTestSupport"
        ),
        // In Swift 5 mode, because the samples in these tests are not valid in Swift 6. Each file
        // sees only what it imports, so that both forms of a call can be tested in one module.
        .testTarget(
            name: "PingNetworkCompatibilityTests",
            dependencies: [
                "ClientTestSupport", "PingNetworkCompatibility", "PingNetworkFactory", "PingNetworkThrowing",
                "Sallyport", "SallyportGateway", "TestSupport",
            ],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]
        ),
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "Sallyport", "SallyportEngine", "SallyportGateway", "SallyportJOSE", "SallyportJourney",
                "SallyportLoopback", "SallyportOAuth", "SallyportResource", "SallyportService", "SallyportStorage",
                "SallyportTelemetry", "SallyportTestTraits", "SallyportTesting", "SallyportTransfers",
                "SallyportURLSession", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            exclude: ["Articles/Recordings"]
        ),
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "ClientTestSupport", "Sallyport", "SallyportCommand", "SallyportGateway", "SallyportJOSE",
                "SallyportJourney", "SallyportLoopback", "SallyportOAuth", "SallyportResource", "SallyportStorage",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "SallyportCompressionTests",
            dependencies: ["SallyportTransport", "Sallyport", "SallyportCompression", "SallyportEngine", "TestSupport"]
        ),
        .testTarget(
            name: "SallyportPostgresTests",
            dependencies: [
                "Sallyport", "SallyportCommand", "SallyportGateway", "SallyportJourney", "SallyportOAuth",
                "SallyportPostgres", "SallyportStorage", "SessionSupport", "SessionWorker", "TestSupport",
            ]
        ),
        .testTarget(
            name: "SallyportCommandTests",
            dependencies: [
                "SallyportStorage",
                "SallyportTransfers",
                "SallyportTransport",
                "Sallyport", "SallyportCommand", "SallyportGateway", "SallyportJOSE", "SallyportOAuth",
                "SallyportResource", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "SallyportEngineTests",
            dependencies: [
                "SallyportStorage",
                "SallyportTransport",
                "SallyportEngine",
                "TestSupport",
                "TransportConformance",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SallyportTransportTests",
            dependencies: [
                "SallyportStorage",
                "SallyportTransport",
                "TestSupport",
                "TransportConformance",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "SallyportStorageTests",
            dependencies: ["SallyportStorage", "TestSupport"]
        ),
        .testTarget(
            name: "SallyportTransfersTests",
            dependencies: [
                "ClientTestSupport",
                "Sallyport", "SallyportGateway", "SallyportStorage", "SallyportTesting", "SallyportTransfers",
                "SallyportTransport", "TestSupport", "TransferWorker",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: tools),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: tools),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras", condition: tools),
            ]
        ),
        .testTarget(
            name: "SallyportServiceTests",
            dependencies: [
                "ClientTestSupport",
                "Sallyport", "SallyportGateway", "SallyportOAuth", "SallyportService", "SallyportTesting",
                "SallyportTransfers", "TestSupport",
            ]
        ),
        .testTarget(
            name: "NetworkServiceCompatibilityTests",
            dependencies: [
                "NetworkServiceCompatibility", "Sallyport", "SallyportGateway", "SallyportJOSE", "SallyportOAuth",
                "SallyportService", "SallyportStorage", "SallyportTransfers", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: tools),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            // The language mode of the apps whose code the tests contain. Each file sees only what it imports, as the samples must not
            // need another import.
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]
        ),
        .testTarget(
            name: "SallyportLoopbackTests",
            dependencies: [
                "Sallyport", "SallyportLoopback", "SallyportOAuth", "SallyportTesting",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SallyportTests",
            dependencies: [
                "CacheWorker", "ClientTestSupport", "Sallyport", "SallyportGateway", "SallyportStorage",
                "SallyportTesting", "SallyportTransport", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "SallyportResourceTests",
            dependencies: [
                "ClientTestSupport", "Sallyport", "SallyportGateway", "SallyportJOSE", "SallyportJourney",
                "SallyportOAuth",
                "SallyportResource", "SallyportStorage", "SallyportTesting", "SallyportTransport", "SessionSupport",
                "SessionWorker", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "SallyportJourneyTests",
            dependencies: [
                "ClientTestSupport", "Sallyport", "SallyportGateway", "SallyportJOSE", "SallyportJourney",
                "SallyportOAuth", "SallyportStorage", "SallyportTesting", "SallyportTransport", "SessionSupport",
                "SessionWorker", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // In Swift 5 mode, because the samples in these tests are not valid in Swift 6.
        .testTarget(
            name: "PingInterceptorsCompatibilityTests",
            dependencies: [
                "ClientTestSupport", "PingInterceptorsCompatibility", "Sallyport", "SallyportGateway",
                "SallyportJOSE", "SallyportOAuth", "SallyportTesting", "TestSupport",
            ],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]
        ),
        .testTarget(
            name: "SallyportJOSETests",
            dependencies: ["SallyportJOSE", "TestSupport", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .testTarget(
            name: "SallyportOAuthTests",
            dependencies: [
                "ClientTestSupport",
                "SallyportStorage",
                "Sallyport", "SallyportGateway", "SallyportJOSE", "SallyportOAuth", "SallyportTesting",
                "SessionSupport",
                "SessionWorker", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SallyportTelemetryTests",
            dependencies: [
                "Sallyport",
                "SallyportEngine", "SallyportService", "SallyportTelemetry", "SallyportTesting", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(
            name: "SallyportURLSessionTests",
            dependencies: [
                "Sallyport",
                "SallyportTransport",
                "SallyportURLSession",
                "TestSupport",
                "TransportConformance",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "SallyportTestingTests",
            dependencies: [
                "Sallyport", "SallyportStorage", "SallyportTesting", "SallyportTestTraits", "SallyportTransport",
                "TestSupport",
            ],
            exclude: ["Traits/Recordings"]
        ),
        .testTarget(
            name: "SallyportGatewayTests",
            dependencies: [
                "Sallyport",
                "SallyportJOSE",
                "SallyportGateway",
                "SallyportResource",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: tools),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// CI sets this variable to build only the tests that it runs with a sanitizer: names of test targets, or folders of them, such as
// `SallyportTests/Multipart`.
if let names = Context.environment["SALLYPORT_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { target in
        target.type == .test && !names.contains { $0 == target.name || $0.hasPrefix(target.name + "/") }
    }
    for target in package.targets where target.type == .test && !names.contains(target.name) {
        let folders = names.filter { $0.hasPrefix(target.name + "/") }
        target.sources = folders.map { String($0.dropFirst(target.name.count + 1)) }
    }
}
