import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

/// The calls of the seed 001 in the form of Sallyport, with requests to a gateway.
///
/// The samples are in PingInterceptorsCompatibilityTests and, with trees, in SallyportJourneyTests.
@Suite(.concurrencyLimited) struct SeedInterceptorExamplesTests {
    /// A call of the Android request's builder in the form of Sallyport.
    private struct BuilderCall: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let body: String
        let change: @Sendable (inout HttpRequest) -> Void
    }

    private static let builderCalls = [
        BuilderCall(testDescription: "get()", method: "GET", body: "") { $0.get() },
        BuilderCall(testDescription: "delete()", method: "DELETE", body: "") { $0.delete() },
        BuilderCall(testDescription: "put(body)", method: "PUT", body: "b") { request in
            request.put(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "post(body)", method: "POST", body: "b") { request in
            request.post(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "patch(body)", method: "PATCH", body: "b") { request in
            request.patch(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "delete(body)", method: "DELETE", body: "b") { request in
            request.delete(contentType: "text/plain", body: "b")
        },
    ]

    @Test(arguments: builderCalls)
    private func `An interceptor can read a request and call each method of the Android request's builder`(
        _ call: BuilderCall
    ) async throws {
        let requests = try await Self.send("START_AUTHENTICATE") { config in
            config.onRequest { request in
                if request.action == nil { return }
                #expect(request.url?.hasSuffix(Self.target) == true)  // url()
                #expect(request.getHeaders()["X-Gone"] == "1")  // headers()
                #expect(request.getHeader(name: "x-gone") == "1")  // header(name)
                let gone = try #require(HTTPField.Name("x-gone"))
                #expect(try request.head().headerFields[values: gone] == ["1"])  // headers(name)
                #expect(request.getMethod() == .post)  // method()
                #expect(request.action?.type == "START_AUTHENTICATE")  // tag()
                #expect(request.body.text == #"{"authId":"1"}"#)  // body()

                request.url = request.url.map { $0.replacing("/authenticate", with: "/other") }  // url(url)
                request.setHeader(name: "x-one", value: "3")  // header(name, value)
                request.addHeader(name: "X-Two", value: "4")  // addHeader(name, value)
                request.addHeader(name: "X-Two", value: "5")
                request.removeHeader(name: "X-Gone")  // removeHeader(name)
                call.change(&request)
            }
        }
        let request = try #require(requests.first)
        #expect(request.target == Self.target.replacing("/authenticate", with: "/other"))
        #expect(request.headers["x-one"] == ["3"])
        #expect(request.headers["x-two"] == ["4", "5"])
        #expect(request.headers["x-gone"] == nil)
        #expect(request.headers["content-type"] == (call.body.isEmpty ? nil : ["text/plain"]))
        #expect(request.method == call.method)
        #expect(request.body == call.body)
    }

    // MARK: Requests

    private static let target = "/echo/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"

    /// Sends a request for each type, or a request of the app for `nil`, and returns what the gateway has received.
    private static func send(
        _ types: ActionType?...,
        configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) async throws -> [EchoedRequest] {
        try await Gateway.withRunning { address in
            let client = HttpClient.createClient(configure)
            defer { client.close() }
            _ = try await client.request { $0.url = address.baseURL + "/cookies/set?id=1" }
            var received: [EchoedRequest] = []
            for type in types {
                let response = try await client.request { request in
                    request.url = address.baseURL + target
                    request.setHeader(name: "X-One", value: "1")
                    request.setHeader(name: "X-Gone", value: "1")
                    request.post(json: ["authId": "1"])
                    request.action = type.map { Action($0, payload: ["tree": "Login", "type": "service"]) }
                }
                received.append(try response.decode(EchoedRequest.self))
            }
            return received
        }
    }
}
