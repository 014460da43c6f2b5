import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport
import SallyportURLSession
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers all requests to `mock.example`, like the mock of the seeds 000 and 004.
private final class MockURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.example" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, url.path != "/fails" else {
            client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
            return
        }
        let fields = [
            "X-Method": request.httpMethod ?? "",
            "X-Received": request.value(forHTTPHeaderField: "X-Sent") ?? "",
            "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT, b=2",
        ]
        let status = Int(url.lastPathComponent) ?? 200
        guard
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("hel".utf8))
        client?.urlProtocol(self, didLoad: Data("lo".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite(.concurrencyLimited) struct URLProtocolTests {
    private func send(
        _ method: HTTPRequest.Method = .get,
        to authority: String = "mock.example",
        path: String = "/",
        scheme: String = "https",
        body: RequestBody = .none,
        with transport: (any Transport)? = nil
    ) async throws -> (head: HTTPResponse, body: String) {
        let own = URLSessionTransport(configuration: TransportConfiguration(), protocolClasses: [MockURLProtocol.self])
        defer { own.close() }
        var head = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
        head.headerFields[HTTPField.Name("X-Sent")!] = "sent"
        return try await (transport ?? own).send(TransportRequest(head: head, body: body)) { response in
            (response.head, String(decoding: try await response.body.collect(upTo: 100), as: UTF8.self))
        }
    }

    @Test(arguments: [200, 401, 404])
    func `A URLProtocol answers requests with its status, header fields and body`(_ status: Int) async throws {
        let response = try await send(path: "/\(status)")
        #expect(response.head.status.code == status)
        #expect(response.body == "hello")
        let fields = response.head.headerFields
        #expect(fields[HTTPField.Name("X-Method")!] == "GET")
        #expect(fields[HTTPField.Name("X-Received")!] == "sent")
        #expect(fields[values: .setCookie] == ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "b=2"])
    }

    @Test func `A URLProtocol answers the calls of a client`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = URLSessionTransport(
                configuration: TransportConfiguration(),
                protocolClasses: [MockURLProtocol.self]
            )
        }
        defer { client.close() }
        let response = try await client.request { request in
            request.url = "https://mock.example/201"
            request.setHeader(name: "X-Sent", value: "sent")
            request.put(json: ["name": "Ada"])
        }
        #expect(response.status == .created)
        #expect(response.bodyAsString() == "hello")
        #expect(response.getHeader(name: "X-Method") == "PUT")
        #expect(response.getHeader(name: "X-Received") == "sent")
        #expect(response.getCookies().map(\.name) == ["a", "b"])
        #expect(response.request.url == "https://mock.example/201")
        await expectError(\NetworkError.kind, "connectionLost") {
            try await client.request { $0.url = "https://mock.example/fails" }
        }
    }

    @Test func `A URLProtocol answers requests with a body`() async throws {
        let response = try await send(.post, body: .data(Data("body".utf8)))
        #expect(response.head.headerFields[HTTPField.Name("X-Method")!] == "POST")
        #expect(response.body == "hello")
    }

    @Test func `An error of a URLProtocol fails the call`() async {
        await expectError(\NetworkError.kind, "connectionLost") { try await send(path: "/fails") }
    }

    @Test func `Requests that no URLProtocol handles are sent`() async throws {
        let script: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal")]
        try await withScriptedServer([script]) { server in
            let response = try await send(to: server.authority, scheme: "http")
            #expect(response.body == "real")
        }
    }

    @Test func `A transport with added pins has the same classes`() async throws {
        let transport = URLSessionTransport(
            configuration: TransportConfiguration(),
            protocolClasses: [MockURLProtocol.self]
        )
        let pinned = transport.adding(CertificatePins())
        defer { pinned.close() }
        #expect(try await send(with: pinned).body == "hello")
    }
}
