import Foundation
import NIOCore
import NIOPosix
import Sallyport
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct GatewayHTTP2Tests {
    private let authority: DevelopmentAuthority

    init() throws {
        authority = try DevelopmentAuthority()
    }

    /// Runs a closure with a gateway over TLS, and a client that trusts it.
    private func withGateway(
        allowsHTTP2: Bool = true,
        _ versions: HTTPVersionPolicy = .automatic,
        _ body: (_ baseURL: String, _ client: HttpClient) async throws -> Void
    ) async throws {
        var configuration = GatewayConfiguration(tls: .developmentAuthority(authority))
        configuration.allowsHTTP2 = allowsHTTP2
        try await Gateway.withRunning(configuration) { address in
            let client = HttpClient.createClient { config in
                config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
                config.transportConfiguration.httpVersions = versions
            }
            defer { client.close() }
            try await body(address.baseURL, client)
        }
    }

    @Test(
        arguments: [
            (true, .automatic, .http2), (true, .http1, .http1_1), (false, .automatic, .http1_1),
        ] as [(Bool, HTTPVersionPolicy, ConnectionFacts.Version)]
    )
    func `HTTP/2 is used if the gateway and the client allow it`(
        allowsHTTP2: Bool,
        policy: HTTPVersionPolicy,
        expected: ConnectionFacts.Version
    ) async throws {
        try await withGateway(allowsHTTP2: allowsHTTP2, policy) { base, client in
            let response = try await client.request { $0.url = base + "/health" }
            #expect(response.status == .ok)
            #expect(response.connection.httpVersion == expected)
        }
    }

    @Test func `Over HTTP/2, a large body arrives, and so do informational responses and trailers`() async throws {
        try await withGateway { base, client in
            let data = Data(repeating: 7, count: 300_000)
            let upload = try await client.request { request in
                request.url = base + "/upload"
                request.post(contentType: "application/octet-stream", body: data)
                request.setHeader(name: "Expect", value: "100-continue")
            }
            #expect(upload.bodyAsString().contains("\"length\" : 300000"))
            let stream = try await client.request { $0.url = base + "/stream/3" }
            #expect(stream.bodyAsString() == "{\"line\":0}\n{\"line\":1}\n{\"line\":2}\n")
            #expect(stream.trailers.count == 1)
            let resumable = try await client.request { request in
                request.url = base + "/uploads"
                request.post(contentType: "application/octet-stream", body: data)
                request.setHeader(name: "Upload-Draft-Interop-Version", value: "6")
                request.setHeader(name: "Upload-Complete", value: "?1")
            }
            #expect(resumable.informational.contains { $0.status.code == 104 })
            #expect(resumable.connection.httpVersion == .http2)
        }
    }

    @Test func `Concurrent calls share a connection`() async throws {
        try await withGateway { base, client in
            _ = try await client.request { $0.url = base + "/health" }
            try await withThrowingTaskGroup(of: HttpResponse.self) { group in
                for number in 0..<20 {
                    group.addTask { try await client.request { $0.url = base + "/echo/\(number)" } }
                }
                for try await response in group {
                    #expect(response.status == .ok)
                    #expect(response.connection.isReused)
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `The gateway stops although a client has connected and sent nothing`(allowsHTTP2: Bool) async throws {
        var configuration = GatewayConfiguration(tls: .developmentAuthority(authority), shutdownGrace: .seconds(600))
        configuration.allowsHTTP2 = allowsHTTP2
        let silent = try await Gateway.withRunning(configuration) { address in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: address.host, port: address.port).get()
            // Connections are accepted in order, so the silent one has been accepted as well.
            let client = HttpClient.createClient { config in
                config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            }
            defer { client.close() }
            _ = try await client.request { $0.url = address.baseURL + "/health" }
            return channel
        }
        try await silent.closeFuture.get()
    }
}
