import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

/// The suites that use the shared clients, one test after the other.
@Suite(.serialized, .concurrencyLimited) struct SharedClientSuites {
    /// Configures the shared clients while a closure runs.
    static func withConfiguration(_ server: ResourceServer, _ body: (ResourceClient) async throws -> Void) async throws
    {
        let client = try ResourceClient.configure(ResourceServer.model, stores: .memory()) { config in
            config.transport = server.transport
        }
        defer { ResourceClient.removeConfiguration() }
        try await body(client)
    }
}

extension SharedClientSuites {
    @Suite(.concurrencyLimited) struct SharedClientTests {
        private static let request = ResourceRequest(path: "/api/users", method: .get)

        @Test func `Before the configuration, all calls fail with notConfigured`() async {
            let (user, device) = (SharedUserClient.instance, SharedDeviceClient.instance)
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await user.sendAuthenticatedRequest(Self.request) },
                { _ = try await user.sendImplicitRequest(Self.request) },
                { try await user.implicitlyAuthenticate(user: "alice", scopes: []) },
                { _ = try await user.accessToken },
                { _ = try await device.sendAuthenticatedRequest(Self.request) },
                { _ = try await device.sendUnauthenticatedRequest(Self.request) },
                { try await device.authenticateDevice(scopes: []) },
            ]
            for call in calls {
                let error = await expectError(\ResourceError.reason, .notConfigured) { try await call() }
                #expect(error?.errorCode == 10001)
            }
            let completion = Completion()
            let task = user.sendAuthenticatedRequest(Self.request, completion: completion.handler)
            let (response, error) = await completion.result()
            #expect(task == nil && response == nil && error?.reason == .notConfigured)
        }

        @Test func `The shared clients are those of the latest configuration`() async throws {
            let (first, second) = (try ResourceServer(), try ResourceServer())
            let user = SharedUserClient.instance
            try await SharedClientSuites.withConfiguration(first) { client in
                try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
                _ = try await user.sendAuthenticatedRequest(Self.request)
                try ResourceClient.configure(ResourceServer.model, stores: .memory()) { config in
                    config.transport = second.transport
                }
                _ = try await SharedDeviceClient.instance.sendUnauthenticatedRequest(Self.request)
                // The first client can still be used.
                _ = try await client.userClient.sendAuthenticatedRequest(Self.request)
            }
            #expect(first.resourceRequests.count == 2 && second.resourceRequests.count == 1)
        }

        @Test func `After an invalid configuration, the previous one remains`() async throws {
            let server = try ResourceServer()
            try await SharedClientSuites.withConfiguration(server) { _ in
                var model = ResourceServer.model
                model.pins = [:]
                expectError(\ResourceError.reason, .invalidConfiguration) { try ResourceClient.configure(model) }
                _ = try await SharedDeviceClient.instance.sendUnauthenticatedRequest(Self.request)
            }
            #expect(server.resourceRequests.count == 1)
        }
    }
}
