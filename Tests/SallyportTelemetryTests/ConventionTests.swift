import InMemoryTracing
import Sallyport
import SallyportService
import SallyportTelemetry
import SallyportTesting
import TestSupport
import Testing
import Tracing

/// Tests of the attributes of spans, each over a real connection.
@Suite(.concurrencyLimited) struct ConventionTests {
    private static let answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Cache: hit\r\nSet-Cookie: sid=hidden\r\n\r\nhello"

    /// Sends a request to a server that answers with a text, and returns the span.
    private func span(
        answer: String = Self.answer,
        telemetry change: @escaping @Sendable (inout Telemetry) -> Void = { _ in },
        _ build: @escaping @Sendable (inout HttpRequest) -> Void
    ) async throws -> FinishedInMemorySpan {
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let bench = Bench(telemetry: change)
            _ = try await bench.client.request { request in
                request.url = "http://\(server.authority)/users/7?q=swift"
                build(&request)
            }
            await bench.client.shutdown(grace: .seconds(5))
            #expect(bench.tracer.spans.count == 1)
            return try #require(bench.tracer.spans.first)
        }
    }

    @Test func `A span has the required and recommended attributes and no others`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(Self.answer)]]) { server in
            let bench = Bench()
            try await bench.get("http://\(server.authority)/users/7?q=swift")
            let span = try #require(bench.tracer.spans.first)
            #expect(span.operationName == "GET")
            #expect(span.kind == .client)
            #expect(span.status == nil)
            #expect(
                span.texts == [
                    "http.request.method": "GET",
                    "http.response.status_code": "200",
                    "network.peer.address": "127.0.0.1",
                    "network.peer.port": "\(server.port)",
                    "network.protocol.version": "1.1",
                    "server.address": "127.0.0.1",
                    "server.port": "\(server.port)",
                    "url.full": "http://\(server.authority)/users/7?q=swift",
                ]
            )
            bench.client.close()
        }
    }

    @Test func `Optional attributes are recorded if the app requests them`() async throws {
        let span = try await span(telemetry: { $0.optionalAttributes = Set(Telemetry.OptionalAttribute.allCases) }) {
            $0.setHeader(name: "User-Agent", value: "app/1")
            $0.post(contentType: "text/plain", body: "four")
        }
        #expect(span.attribute("url.scheme") == "http")
        #expect(span.attribute("user_agent.original") == "app/1")
        #expect(span.attribute("http.request.body.size") == "4")
        #expect(span.attribute("http.response.body.size") == "5")
    }

    @Test func `Only the listed headers are recorded, without secrets`() async throws {
        @Sendable func list(_ telemetry: inout Telemetry) {
            telemetry.requestHeaders = ["X-Tags", "authorization", "X-Missing", "not a name"]
            telemetry.responseHeaders = ["x-cache", "Set-Cookie"]
        }
        let span = try await span(telemetry: list) { request in
            request.setHeader(name: "X-Tags", value: "a, b")
            request.setHeader(name: "X-Other", value: "other")
            request.setHeader(name: "Authorization", value: "Bearer hidden")
        }
        #expect(span.attribute("http.request.header.x-tags") == #"["a, b"]"#)
        #expect(span.attribute("http.request.header.authorization") == #"["REDACTED"]"#)
        #expect(span.attribute("http.response.header.x-cache") == #"["hit"]"#)
        #expect(span.attribute("http.response.header.set-cookie") == #"["REDACTED"]"#)
        #expect(span.texts.keys.filter { $0.contains(".header.") }.count == 4)
        #expect(!"\(span)".contains("hidden"))
    }

    @Test(arguments: [400, 404, 500, 503])
    func `An error status is the type of the error, and needs no description`(status: Int) async throws {
        let span = try await span(answer: "HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n") { _ in }
        #expect(span.attribute("error.type") == "\(status)")
        #expect(span.attribute("http.response.status_code") == "\(status)")
        #expect(span.status?.code == .error)
        #expect(span.status?.message == nil)
        #expect(span.errors.isEmpty)
    }

    @Test(arguments: [200, 201, 304, 399])
    func `Other statuses are no errors`(status: Int) async throws {
        let span = try await span(answer: "HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n") { _ in }
        #expect(span.attribute("error.type") == nil)
        #expect(span.status == nil)
    }

    @Test func `A non-standard method is recorded as the original one`() async throws {
        let span = try await span { $0.setMethod("PURGE") }
        #expect(span.operationName == "HTTP")
        #expect(span.attribute("http.request.method") == "_OTHER")
        #expect(span.attribute("http.request.method_original") == "PURGE")
    }

    @Test func `The app can replace the known methods`() async throws {
        let purge = try await span(telemetry: { $0.knownMethods = ["PURGE"] }) { $0.setMethod("PURGE") }
        #expect(purge.operationName == "PURGE")
        #expect(purge.attribute("http.request.method") == "PURGE")
        #expect(purge.attribute("http.request.method_original") == nil)
        let get = try await span(telemetry: { $0.knownMethods = ["PURGE"] }) { _ in }
        #expect(get.attribute("http.request.method") == "_OTHER")
        #expect(get.attribute("http.request.method_original") == "GET")
    }

    @Test(arguments: [
        "AWSAccessKeyId", "Signature", "sig", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token",
        "X-Goog-Signature",
    ])
    func `The query values that the conventions list are redacted`(name: String) async throws {
        let span = try await span { $0.url? += "&\(name)=hidden&color=blue" }
        #expect(span.attribute("url.full")?.hasSuffix("/users/7?q=swift&\(name)=REDACTED&color=blue") == true)
        #expect(!"\(span)".contains("hidden"))
    }

    @Test func `The template of an endpoint is part of the name, and its values are not`() async throws {
        struct Posts: Endpoint {
            typealias Response = String
            var parameters: EndpointParameters { ["id": 7] }
            var path: EndpointPath { "/users/{id}/posts/\(12)" }
        }
        try await withScriptedServer([[.receiveRequest, .send(Self.answer)]]) { server in
            let bench = Bench()
            let service = try ServiceClient(baseURL: "http://\(server.authority)/v1/", client: bench.client)
            _ = try await service.call(Posts())
            let span = try #require(bench.tracer.spans.first)
            #expect(span.operationName == "GET /v1/users/{id}/posts/{}")
            #expect(span.attribute("url.template") == "/v1/users/{id}/posts/{}")
            #expect(span.attribute("url.full") == "http://\(server.authority)/v1/users/7/posts/12")
            bench.client.close()
        }
    }

    @Test func `The template is omitted if the app does not want it`() async throws {
        let span = try await span(telemetry: { $0.optionalAttributes = [] }) { $0.urlTemplate = "/users/{id}" }
        #expect(span.operationName == "GET")
        #expect(span.attribute("url.template") == nil)
    }

    @Test func `The phases of a new TLS connection have spans, if the app requests them`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        let script: Script = [.repeating([.receiveRequest, .send(Self.answer)], times: 2)]
        try await withScriptedServer([script], tls: tls) { server in
            let bench = Bench(telemetry: { $0.recordsPhases = true }) {
                $0.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            }
            for _ in 0..<2 { try await bench.get("https://\(server.authority)/") }
            let spans = bench.tracer.spans
            #expect(spans.map(\.operationName) == ["resolve", "connect", "tls", "GET", "GET"])
            #expect(spans.prefix(3).allSatisfy { $0.parentSpanID == spans[3].spanID && $0.kind == .internal })
            #expect(spans[1].attribute("network.peer.port") == "\(server.port)")
            #expect(spans[2].attribute("tls.protocol.name") == "tls")
            #expect(spans[2].attribute("tls.protocol.version") == "1.3")
            // The clocks of phases and spans differ, by microseconds.
            let tolerance: UInt64 = 50_000_000
            var time = spans[3].startInstant.nanosecondsSinceEpoch - tolerance
            for span in spans.prefix(3) {
                #expect(span.startInstant.nanosecondsSinceEpoch >= time)
                #expect(span.endInstant.nanosecondsSinceEpoch >= span.startInstant.nanosecondsSinceEpoch)
                time = span.endInstant.nanosecondsSinceEpoch
            }
            #expect(time <= spans[3].endInstant.nanosecondsSinceEpoch + tolerance)
            bench.client.close()
        }
    }
}

extension FinishedInMemorySpan {
    /// All attributes as text.
    fileprivate var texts: [String: String] {
        var texts: [String: String] = [:]
        attributes.forEach { name, _ in texts[name] = attribute(name) }
        return texts
    }
}
