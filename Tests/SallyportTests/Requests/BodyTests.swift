import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BodyTests {
    @Test func `Methods with a body set the method, the content type and the body`() {
        let builders: [(String, (inout HttpRequest) -> Void)] = [
            ("POST", { $0.post(contentType: "text/plain", body: "hé") }),
            ("PUT", { $0.put(contentType: "text/plain", body: "hé") }),
            ("PATCH", { $0.patch(contentType: "text/plain", body: "hé") }),
            ("DELETE", { $0.delete(contentType: "text/plain", body: "hé") }),
            ("POST", { $0.post(contentType: "text/plain", body: Data("hé".utf8)) }),
            ("PUT", { $0.put(contentType: "text/plain", body: Data("hé".utf8)) }),
            ("PATCH", { $0.patch(contentType: "text/plain", body: Data("hé".utf8)) }),
            ("DELETE", { $0.delete(contentType: "text/plain", body: Data("hé".utf8)) }),
        ]
        for (method, build) in builders {
            let request = makeRequest(nil, build)
            #expect(request.getMethod().rawValue == method)
            #expect(request.getHeader(name: "content-type") == "text/plain")
            #expect(request.body.text == "hé")
        }
    }

    @Test func `The get and delete methods set the method, and clear the body and its content type`() {
        let builders: [(HttpMethod, (inout HttpRequest) -> Void)] = [(.get, { $0.get() }), (.delete, { $0.delete() })]
        for (method, build) in builders {
            var request = makeRequest { $0.post(contentType: "text/plain", body: "a") }
            build(&request)
            #expect(request.getMethod() == method)
            #expect(request.body.text == nil)
            #expect(request.getHeader(name: "Content-Type") == nil)
        }
    }

    @Test func `The methods setMethod and setBody leave other values unchanged`() {
        let request = makeRequest { request in
            request.setHeader(name: "Content-Type", value: "text/csv")
            request.setBody(Data("a,b".utf8))
            request.setMethod(.put)
        }
        #expect(request.getMethod() == .put)
        #expect(request.getHeader(name: "Content-Type") == "text/csv")
        #expect(request.body.text == "a,b")
    }

    @Test func `A body that is set to nil is removed`() {
        let request = makeRequest { request in
            request.setBody(Data("a".utf8))
            request.setBody(nil)
        }
        #expect(request.body.text == nil)
    }

    @Test func `Custom methods are allowed, and an invalid method name is refused`() throws {
        #expect(try makeRequest { $0.setMethod("PURGE") }.head().method.rawValue == "PURGE")
        #expect(refusal(of: makeRequest { $0.setMethod("GET /") }).contains("the method \"GET /\""))
    }

    @Test func `A body on TRACE is refused`() throws {
        let request = makeRequest { request in
            request.setMethod(.trace)
            request.setBody(Data([1]))
        }
        #expect(refusal(of: request).contains("TRACE"))
        #expect(refusal(of: makeRequest { $0.setMethod(.trace) }).isEmpty)
    }

    @Test func `CONNECT is refused`() throws {
        #expect(refusal(of: makeRequest { $0.setMethod(.connect) }).contains("CONNECT"))
    }

    @Test(arguments: [0, -1, TimeInterval.nan, -TimeInterval.infinity])
    func `A timeout that is not greater than zero is refused`(timeout: TimeInterval) throws {
        #expect(refusal(of: makeRequest { $0.timeout = timeout }).contains("timeout of \(timeout)"))
    }

    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude])
    func `An infinite timeout means no limit`(timeout: TimeInterval) async throws {
        let (client, server) = makeClient()
        _ = try await client.request(request: makeRequest { $0.timeout = timeout })
        #expect(try #require(server.requests.first).timeouts.total == nil)
    }
}
