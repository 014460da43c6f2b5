import Foundation
import Sallyport
import SallyportResource
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ResourceErrorTests {
    private static let request = ResourceRequest(path: "p", method: .get)

    @Test func `Each reason has its number`() {
        let numbers = Dictionary(
            uniqueKeysWithValues: ResourceError.Reason.allCases.map { ("\($0)", $0.code.rawValue) }
        )
        #expect(
            numbers == [
                "noConnectivity": 9000, "serverUnreachable": 9001, "deviceDeregistered": 9002,
                "userDeregistered": 9003, "outdatedApp": 9004, "outdatedSystem": 9005, "cancelled": 9006,
                "deviceNotRegistered": 9008, "deviceNotValid": 9008, "userNotAuthenticated": 9010,
                "unrecoverable": 9025, "userNotImplicitlyAuthenticated": 9026, "badDate": 9031, "unknown": 10000,
                "invalidConfiguration": 10001, "notConfigured": 10001, "invalidMethod": 10010,
                "deviceNotAuthenticated": 10012, "invalidRequest": 10015,
                "invalidHeaders": 10019, "deviceIntegrity": 10024,
                "certificateRefused": NSURLErrorServerCertificateUntrusted,
                "tlsFailed": NSURLErrorSecureConnectionFailed, "connectionLost": NSURLErrorNetworkConnectionLost,
                "status": NSURLErrorBadServerResponse, "invalidResponse": NSURLErrorCannotParseResponse,
            ]
        )
    }

    @Test func `Errors of one kind of call have its domain, and others the generic one`() {
        func domain(_ reason: ResourceError.Reason, _ call: ResourceCall?) -> String {
            let error = ResourceError(reason, "it failed", of: call)
            #expect(error.nsError.code == reason.code.rawValue && error.nsError.domain == error.domain)
            #expect(error.nsError.localizedDescription == error.description)
            // What `as NSError` uses on Apple platforms.
            #expect((error as any Error)._domain == error.domain)
            return error.domain
        }
        #expect(domain(.userNotAuthenticated, .authenticated) == "ONGFetchResourceErrorDomain")
        #expect(domain(.userNotImplicitlyAuthenticated, .implicit) == "ONGFetchImplicitResourceErrorDomain")
        #expect(domain(.deviceNotAuthenticated, .anonymous) == "ONGFetchAnonymousResourceErrorDomain")
        #expect(domain(.invalidMethod, .unauthenticated) == "ONGFetchUnauthenticatedResourceDomain")
        #expect(domain(.invalidHeaders, .authenticated) == "ONGFetchResourceErrorDomain")
        #expect(domain(.cancelled, .authenticated) == "ONGGenericErrorDomain")
        #expect(domain(.invalidConfiguration, nil) == "ONGGenericErrorDomain")
        #expect(domain(.status, .authenticated) == NSURLErrorDomain)
        #expect(domain(.certificateRefused, .authenticated) == NSURLErrorDomain)
    }

    @Test func `A cancellation is matched by 9006 and by NSURLErrorCancelled`() {
        func matches(_ code: ResourceError.Code) -> [String] {
            var matches: [String] = []
            switch code {
            case .cancelled: matches.append("constant")
            default: break
            }
            switch code {
            case 9006: matches.append("number")
            default: break
            }
            switch code {
            case NSURLErrorCancelled: matches.append("Foundation")
            default: break
            }
            return matches
        }
        #expect(matches(.cancelled) == ["constant", "number", "Foundation"])
        #expect(matches(.userNotAuthenticated).isEmpty)
    }

    private static let failures: [(NetworkError, ResourceError.Reason)] = [
        (.networkUnavailable("x"), .noConnectivity), (.hostNotFound("x"), .serverUnreachable),
        (.connectionFailed("x"), .serverUnreachable), (.timeout("x"), .serverUnreachable),
        (.tlsFailed("x"), .tlsFailed), (.certificateRefused("x"), .certificateRefused),
        (.connectionLost("x"), .connectionLost), (.incompleteBody("x"), .connectionLost),
        (.invalidResponse("x"), .invalidResponse), (.responseTooLarge("x"), .invalidResponse),
        (.cancelled("x"), .cancelled), (.networkError("x"), .unknown),
    ]

    @Test func `Failures of the network have their reasons`() async throws {
        for (error, reason) in Self.failures {
            let server = try ResourceServer()
            server.transport.on(.get, "/resources/p", .fail(error))
            let client = try server.client().deviceClient
            let thrown = await expectError(\ResourceError.reason, reason) {
                try await client.sendUnauthenticatedRequest(Self.request)
            }
            #expect(thrown?.call == .unauthenticated && thrown?.response == nil)
            #expect(thrown?.description.contains("GET https://api.example.com/resources/p") == true)
        }
    }

    @Test(arguments: [301, 304, 400, 401, 403, 404, 500, 503])
    func `A status other than 200 to 299 is an error with the complete response`(_ status: Int) async throws {
        let server = try ResourceServer()
        let refusal = MockResponse.json(#"{"reason": "closed"}"#, status: status).header(.server, "mock")
        server.transport.on(.get, "/resources/p", refusal)
        let client = try server.client().deviceClient
        let error = await expectError(\ResourceError.reason, .status) {
            try await client.sendUnauthenticatedRequest(Self.request)
        }
        let response = try #require(error?.response)
        #expect(response.statusCode == status && response.header("server") == "mock")
        #expect(response.data == (status == 304 ? nil : Data(#"{"reason": "closed"}"#.utf8)))
        #expect(error?.errorCode == NSURLErrorBadServerResponse)
        #expect(error?.description.hasSuffix(": the server responded with status \(status) [-1011]") == true)
        #expect(error?.description.contains("closed") == false)
    }

    @Test func `The refusal of a request that is not encrypted names the missing setting`() async throws {
        let server = try ResourceServer()
        let refusal = MockResponse.status(400).header(.init("Payload-Encryption-Error")!, "encryption_required")
        server.transport.on(.get, "/resources/p", refusal)
        let client = try server.client().deviceClient
        let error = await expectError(\ResourceError.reason, .status) {
            try await client.sendUnauthenticatedRequest(Self.request)
        }
        #expect(error?.failure.advice?.contains("serverPublicKey") == true)
        #expect(error?.response?.statusCode == 400)
    }

    @Test func `A response is not parsed or converted`() async throws {
        let server = try ResourceServer()
        let body = Data([0xFF, 0, 0x7B, 0xC3, 0x28])
        server.transport.on(
            .get,
            "/resources/p",
            MockResponse(
                headers: [
                    .contentType: "application/json; charset=utf-16", .init("X-Many")!: "a", .init("X-Many")!: "b",
                ],
                body: body
            )
        )
        let response = try await server.client().deviceClient.sendUnauthenticatedRequest(Self.request)
        #expect(response.data == body && response.statusCode == 200)
        #expect(response.allHeaderFields["Content-Type"] == "application/json; charset=utf-16")
        #expect(response.allHeaderFields["X-Many"] == "a, b" && response.header("x-many") == "a")
        #expect(response.httpResponse.request.url == "https://api.example.com/resources/p")
    }

    @Test func `A response for an outdated app or system has its own error`() async throws {
        for (name, reason, number) in [
            ("outdated_app", ResourceError.Reason.outdatedApp, 9004), ("outdated_os", .outdatedSystem, 9005),
        ] {
            let server = try ResourceServer()
            server.transport.on(
                .get,
                "/resources/p",
                .json(#"{"error": "\#(name)", "minimum_version": "3.0"}"#, status: 403)
            )
            let client = try server.client().deviceClient
            let error = await expectError(\ResourceError.reason, reason) {
                try await client.sendUnauthenticatedRequest(Self.request)
            }
            #expect(error?.errorCode == number && error?.response?.statusCode == 403)
            #expect(error?.description.contains("3.0") == true)
        }
    }

    @Test func `A body that is larger than the limit is an error`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/p", .text("0123456789").with(.drip(bytes: 4)))
        let client = try server.client(http: { $0.maximumBodySize = 9 })
        await expectError(\ResourceError.reason, .invalidResponse) {
            try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
    }

    @Test func `A call that takes longer than the request timeout fails`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/p", .stall)
        let client = try server.client { $0.requestTimeout = 0.05 }
        let error = await expectError(\ResourceError.reason, .serverUnreachable) {
            try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
        #expect(error?.description.contains("longer than its limit of 50 ms") == true)
    }
}
