// swift-format-ignore-file
import Foundation
import SallyportResource
import TestSupport
import Testing

/// The constant of Swift 2 that the seed uses. It is `NSURLErrorCancelled` today.
private enum NSURLError {
    static let Cancelled = NSURLErrorCancelled
}

/// The results that the samples have received.
private final class Results: Sendable {
    private let texts = Watched<[String]>([])

    func add(_ text: String) { texts.update { $0.append(text) } }

    /// Waits for the next result, and removes it.
    func next() async throws -> String {
        try await texts.wait("the result of a sample") { !$0.isEmpty }
        return texts.update { $0.removeFirst() }
    }
}

// The Swift samples of seed 003. Only what Swift no longer accepts was changed: commas between arguments, brackets of dictionaries, the
// names of JSONSerialization, a comparison with an optional, and statements in place of comments that only a case consists of.
extension SharedClientSuites {
    @Suite(.concurrencyLimited) struct Seed003SamplesTests {
        private let results = Results()

        private func handle(_ response: ResourceResponse?, _ error: ResourceError?) {
            let text = response.flatMap { try? GatewayResource($0) }.map { "\($0.method) \($0.target)" }
            let user = response.flatMap { try? GatewayResource($0) }?.token?["sub"]?.string ?? "-"
            results.add("\(text ?? "\(error?.code.rawValue ?? 0)") \(user)")
        }

        @Test func `Sample: authenticated resource call`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { client, signIn in
                try await client.userClient.registerUser(with: signIn, scopes: ["api"])

let request = ONGResourceRequest(path:"/api/users/", method:"GET")
ONGUserClient.sharedInstance().fetchResource(request) { response, error in
// handle response
handle(response, error)
}

                #expect(try await results.next() == "GET /resources/api/users/ alice")
            }
        }

        @Test func `Sample: implicit resource call`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { client, signIn in
                let user = try await client.userClient.registerUser(with: signIn, scopes: ["api"])
                try await client.userClient.implicitlyAuthenticate(user: user, scopes: ["api"])

let request = ONGResourceRequest(path:"/api/users/", method:"GET")
ONGUserClient.sharedInstance().fetchImplicitResource(request) { response, error in
// handle response
handle(response, error)
}

                #expect(try await results.next() == "GET /resources/api/users/ alice")
            }
        }

        @Test func `Sample: anonymous resource call`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { client, _ in
                try await client.deviceClient.authenticateDevice(scopes: ["api"])

let request = ONGResourceRequest(path:"/api/users/", method:"GET")
ONGDeviceClient.sharedInstance().fetchResource(request) { response, error in
// handle response
handle(response, error)
}

                let device = try #require(try await client.identity.registration()?.clientID)
                #expect(try await results.next() == "GET /resources/api/users/ \(device)")
            }
        }

        @Test func `Sample: unauthenticated resource call`() async throws {
            try await ResourceGateway.withRunning(scope: nil) { _, _ in

let request = ONGResourceRequest(path:"/api/users/", method:"GET")
ONGDeviceClient.sharedInstance().fetchUnauthenticatedResource(request) { response, error in
// handle response
handle(response, error)
}

                let result = try await results.next()
                #expect(result == "GET /resources/api/users/ -")
            }
        }

        @Test func `Sample: request construction`() async throws {
            try await ResourceGateway.withRunning(scope: nil) { _, _ in
                let client = SharedDeviceClient.instance
                do {

let request = ONGResourceRequest(path:"/api/users/", method:"GET", parameters:["username": "foo@bar.baz"])

                    let received = try GatewayResource(await client.sendUnauthenticatedRequest(request))
                    #expect(received.target == "/resources/api/users/?username=foo%40bar.baz")
                    #expect(received.method == "GET" && received.headers["x-flags"] == nil)
                }

// mutable version
let request = ONGMutableRequest(path:"/api/users/", method:"GET")
request.headers = ["X-Flags": "1000010"]
request.parameters = ["username": "foo@bar.baz"]
request.parametersEncoding = .JSON

                let received = try GatewayResource(await client.sendUnauthenticatedRequest(request.copy()))
                #expect(received.target == "/resources/api/users/?username=foo%40bar.baz")
                #expect(received.method == "GET" && received.headers["x-flags"] == ["1000010"])
            }
        }

        @Test func `Sample: request construction using the request builder`() async throws {
            try await ResourceGateway.withRunning(scope: nil) { _, _ in

let request = ONGRequestBuilder().setMethod("GET").setPath("/api/users").setParameters(["username": "foo@bar.baz"]).build()

                let response = try await SharedDeviceClient.instance.sendUnauthenticatedRequest(request)
                let received = try GatewayResource(response)
                #expect(received.method == "GET" && received.target == "/resources/api/users?username=foo%40bar.baz")
            }
        }

        @Test func `Sample: resource call implementation with a JSON-encoded payload`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { sharedClient, signIn in
                let client = sharedClient.userClient
                try await client.registerUser(with: signIn, scopes: ["api"])
                let gateway = sharedClient.identity.configuration.issuer
                let text = gateway + "/drip?bytes=10&interval=0"
                for (path, expected) in [("/api/users", "JSON"), (text, "not JSON"), ("/nothing-here", "error")] {
                    let request = ResourceRequest(path: path, method: .get)

client.fetchResource(request) { response, error in
if let status = response?.statusCode, status < 400, let data = response?.data {
do {
let json = try JSONSerialization.jsonObject(with: data, options: [])
// further response handling
results.add(json is [String: Any] ? "JSON" : "other")
} catch {
// response is not JSON encoded
results.add("not JSON")
}
} else {
// handle error
results.add("error")
}
}

                    #expect(try await results.next() == expected)
                }
            }
        }

        @Test func `Sample: error handling`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { client, signIn in
                let userClient = client.userClient
                let gateway = client.identity.configuration.issuer
                let calls = [
                    ("/api/users", "not authenticated"), ("/api/users", "response"),
                    (gateway + "/delay/60000", "cancelled"), (gateway + "/status/500", "other"),
                ]
                for (path, expected) in calls {
                    let request = ResourceRequest(path: path, method: .get)
                    let task =

userClient.fetchResource(request) { response, error in
if let error = error {
switch error.code {
case ONGFetchResourceError.UserNotAuthenticated:
// user isn't authenticated
results.add("not authenticated")
case NSURLError.Cancelled:
// cancelled explicitly, ignore
results.add("cancelled")
break
default:
// default error handling
results.add("other")
}
} else {
// regular response handling
results.add("response")
}
}

                    if expected == "cancelled" { task?.cancel() }
                    #expect(try await results.next() == expected)
                    if expected == "not authenticated" {
                        try await userClient.registerUser(with: signIn, scopes: ["api"])
                    }
                }
            }
        }

        @Test func `The declared forms of the calls accept closures with any error`() async throws {
            try await ResourceGateway.withRunning(scope: "api") { client, signIn in
                try await client.userClient.registerUser(with: signIn, scopes: ["api"])
                let request = ResourceRequestFactory.makeResourceRequest(path: "/api/users")
                let completion: @MainActor (ResourceResponse?, (any Error)?) -> Void = { [results] response, error in
                    results.add("\(response?.statusCode ?? 0) \(error == nil)")
                }
                let task: NetworkTask? = SharedUserClient.instance.sendAuthenticatedRequest(request, completion: completion)
                #expect(try await results.next() == "200 true")
                #expect(task?.state == .completed)
            }
        }
    }
}
