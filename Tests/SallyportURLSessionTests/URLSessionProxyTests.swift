import HTTPTypes
import SallyportTransport
import SallyportURLSession
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct URLSessionProxyTests {
    private func failure(_ policy: ProxyPolicy, fields: HTTPFields = [:]) async throws -> NetworkError? {
        try await withScriptedServer([[.stall]]) { server in
            let transport = URLSessionTransport(configuration: TransportConfiguration(proxy: policy))
            defer { transport.close() }
            let head = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: server.authority,
                path: "/",
                headerFields: fields
            )
            let error = await #expect(throws: NetworkError.self) {
                try await transport.send(TransportRequest(head: head)) { response in response.head.status }
            }
            #expect(server.acceptedConnections == 0)
            return error
        }
    }

    @Test func `Every proxy policy except .direct is refused before anything is sent`() async throws {
        for policy in [.environment, .proxy(try Proxy("http://u:canary@127.0.0.1:1"))] as [ProxyPolicy] {
            let error = try await failure(policy)
            guard case .invalidRequest(let failure) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.reason.contains("does not support a configured proxy"))
            #expect(!failure.description.contains("canary"))
        }
    }

    @Test func `A Proxy-Authorization field is refused, as it would be sent to the server`() async throws {
        let error = try await failure(.direct, fields: [.proxyAuthorization: "Basic canary"])
        guard case .invalidRequest(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!failure.description.contains("canary"))
    }
}
