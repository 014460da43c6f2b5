import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Serves over TLS, to a transport that trusts the server.
    private static func serve(
        _ context: ConformanceContext,
        _ script: Script,
        upTo version: ServerTLS.Version = .tls13,
        atLeast minimum: TransportSecurity.Version = .tls12,
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity(), maximumVersion: version)
        let security = TransportSecurity(trustRoots: .pem(authority.certificatePEM), minimumVersion: minimum)
        let configuration = TransportConfiguration(security: security)
        try await context.serve(script, tls: tls, configuration: configuration, body)
    }

    static let handshakes: [ConformanceCase] = [
        ConformanceCase(
            "A plain-text response to a TLS handshake fails it",
            .http1Only("the handshake comes before the version")
        ) { context in
            let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
            try await context.serve([.send(refusal), .close]) { bench in
                var request = bench.request()
                request.head.scheme = "https"
                await expectFailure(.tlsFailed, phase: .tls) { try await bench.answer(request) }
            }
        },
        ConformanceCase(
            "A connection closed within the TLS handshake fails it",
            .http1Only("the handshake comes before the version")
        ) { context in
            try await context.serve([.close]) { bench in
                var request = bench.request()
                request.head.scheme = "https"
                await expectFailure(.tlsFailed, .connectionLost, phase: .tls) { try await bench.answer(request) }
            }
        },
        ConformanceCase("TLS 1.2 is used with a server without a newer version", .overTLS) { context in
            try await serve(context, .answer(), upTo: .tls12) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "ok")
                #expect(answer.response.connection.tlsVersion == "TLSv1.2")
            }
        },
        ConformanceCase("TLS 1.1 is refused", .overTLS) { context in
            try await serve(context, .answer(), upTo: .tls11) { bench in
                await expectFailure(.tlsFailed) { try await bench.answer() }
            }
        },
        ConformanceCase("TLS 1.2 is refused if 1.3 is required", .overTLS) { context in
            try await serve(context, .answer(), upTo: .tls12, atLeast: .tls13) { bench in
                await expectFailure(.tlsFailed) { try await bench.answer() }
            }
        },
        ConformanceCase("Connections over TLS are reused", .overTLS) { context in
            try await serve(context, .answers(10)) { bench in
                for _ in 0..<10 { try await bench.expectText("ok") }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase(
            "An unclean end of TLS after a complete response is ignored",
            .http1Only("an HTTP/2 body never lasts until the end of TLS")
        ) { context in
            try await serve(context, [.receiveRequest, .send(Script.ok), .closeUncleanly]) { bench in
                try await bench.expectText("ok")
            }
        },
        ConformanceCase(
            "An unclean end of TLS in a body without a length is an error",
            .http1Only("an HTTP/2 body never lasts until the end of TLS")
        ) { context in
            let script: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\r\nperhaps cut"), .closeUncleanly]
            try await serve(context, script) { bench in
                await expectFailure(.incompleteBody, .connectionLost) { try await bench.answer() }
            }
        },
        ConformanceCase(
            "A clean end of TLS completes a body without a length",
            .http1Only("an HTTP/2 body never lasts until the end of TLS")
        ) { context in
            try await serve(context, .answerAndClose("HTTP/1.1 200 OK\r\n\r\nall of it")) { bench in
                try await bench.expectText("all of it")
            }
        },
    ]
}
