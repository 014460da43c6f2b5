import Foundation
import Sallyport
import SallyportOAuth
import SallyportResource
import SessionSupport
import TestSupport
import Testing

@testable import SallyportGateway

/// The registrations that killed processes leave. Each process is killed when the server has received a certain number of bytes, so that
/// every part of a registration, a deregistration and the requests for tokens is interrupted.
@Suite(.busy) struct KilledRegistrationTests {
    /// The number of processes that are killed: 10 or `SALLYPORT_KILLS`, at least 8.
    private static let kills = max(8, ProcessInfo.processInfo.environment["SALLYPORT_KILLS"].flatMap { Int($0) } ?? 10)
    /// The number of bytes that a process sends in a registration and about two requests for tokens.
    private static let bytes = 5_000

    /// The requests that are interrupted.
    private enum Interrupted: CaseIterable {
        /// The registration of a new device, and its tokens.
        case registration
        /// Implicit tokens of a user of the device.
        case implicitTokens
        /// A new registration, after the operator has deregistered the device.
        case newRegistration
        /// The reset of the device, and a new registration.
        case reset

        /// The mode of the process.
        var mode: String {
            switch self {
            case .registration, .newRegistration: "device"
            case .implicitTokens: "implicit"
            case .reset: "reset"
            }
        }

        /// Returns the name of the device whose process is killed.
        func device(_ number: Int) -> String {
            switch self {
            case .registration: "\(number)"
            // A server accepts a limited number of assertions of each client in a time.
            case .implicitTokens: "implicit-\(number / 32)"
            case .newRegistration, .reset: "registered"
            }
        }
    }

    @Test func `A device whose process is killed registers once, and is authenticated by the next process`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(configuration)
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await withTemporaryDirectory { directory in
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                // The first process receives no response, so it is killed before its registration is stored.
                try await withScriptedServer([[], [.tunnel(toPort: gateway.port)]]) { recorder in
                    await server.serve(at: "http://\(recorder.authority)")
                    /// The client identifiers by the names of the devices.
                    var devices: [String: String] = [:]
                    /// The number of new devices whose killed processes had stored the registration.
                    var stored = 0
                    for number in 0..<Self.kills {
                        let interrupted = Interrupted.allCases[number % Interrupted.allCases.count]
                        let name = interrupted.device(number)
                        let folder = directory.appendingPathComponent(name)
                        let file = DeviceInstallation.statementFile(of: folder)
                        try statement.write(to: file, atomically: true, encoding: .utf8)
                        try await Self.prepare(interrupted, in: folder, server, recorder)
                        try await Self.kill(number, interrupted.mode, in: folder, recorder)
                        let (device, wasStored) = try await Self.resume(interrupted, in: folder, recorder)
                        devices[name] = device
                        if interrupted == .registration, wasStored { stored += 1 }
                    }
                    // Earlier registrations of a device that was reset or deregistered have ended.
                    #expect(await server.devices.map(\.clientID).sorted() == devices.values.sorted())
                    let new = (Self.kills + Interrupted.allCases.count - 1) / Interrupted.allCases.count
                    #expect(stored > 0 && stored < new)
                    print("\(Self.kills) killed processes: \(new) of new devices, \(stored) of which were registered")
                }
            }
        }
    }

    /// Registers the device, and a user on it, if the requests to interrupt need that.
    private static func prepare(
        _ interrupted: Interrupted,
        in folder: URL,
        _ server: AuthorizationServer,
        _ recorder: ScriptedServer
    ) async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        let identity = DeviceInstallation.identity(in: folder, port: recorder.port, sendingWith: client)
        switch interrupted {
        case .implicitTokens:
            if try await identity.registeredUsers().isEmpty {
                try await identity.registerUser(with: BrowserSignIn(FormAgent()), scopes: [])
            }
        case .newRegistration:
            try await identity.authenticateDevice(scopes: [])
            let registration = try #require(try await identity.registration())
            #expect(await server.deregisterDevice(registration.clientID))
        case .registration, .reset: break
        }
        await identity.finish()
    }

    /// Starts a process that sends the requests repeatedly, and kills it.
    private static func kill(_ number: Int, _ mode: String, in folder: URL, _ recorder: ScriptedServer) async throws {
        let index = recorder.acceptedConnections
        let worker = try Worker(folder, port: recorder.port, mode: mode)
        let connection = try await recorder.connection(index)
        // The number of bytes is 1 for the first process of each mode, and then enough for a registration to be stored.
        let kill = number / Interrupted.allCases.count
        try await connection.waitUntilReceived(count: 1 + kill * 4_129 % bytes)
        try await Task.sleep(for: .microseconds(number * 104_729 % 3_000))
        worker.kill()
        // The system closes the connection when the process has ended.
        try await connection.waitUntilClosedByClient()
    }

    /// Authenticates the device and its user as the next process, and calls resources.
    ///
    /// - Returns: The client identifier of the device, and a Boolean value that indicates whether the killed process had stored a
    ///   registration.
    private static func resume(
        _ interrupted: Interrupted,
        in folder: URL,
        _ recorder: ScriptedServer
    ) async throws -> (String, Bool) {
        let client = HttpClient.createClient()
        defer { client.close() }
        let identity = DeviceInstallation.identity(in: folder, port: recorder.port, sendingWith: client)
        let stored = try await identity.registration()
        try await identity.authenticateDevice(scopes: ["api"])
        let base = "http://\(recorder.authority)"
        let api = client.authorized(by: identity.deviceSession, for: base)
        #expect(try await api.request { $0.url = base + "/protected" }.status == .ok)
        if interrupted == .implicitTokens {
            let user = try #require(stored?.users.first)
            try await identity.implicitlyAuthenticate(user: user, scopes: ["greeting"])
            let greeting = client.authorized(by: identity.implicitSession(of: user), for: base)
            #expect(try await greeting.request { $0.url = base + "/resources/greeting" }.status == .ok)
        }
        let registration = try #require(try await identity.registration())
        // A registration that the operator or the killed process has ended is replaced. Others remain.
        if let stored, [.registration, .implicitTokens].contains(interrupted) { #expect(registration == stored) }
        await identity.finish()

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names).isSuperset(of: ["device-identity.json", "device-tokens.json"]))
        #expect(names.allSatisfy { $0.hasSuffix(".json") || $0.hasSuffix(".json.lock") }, "\(names.sorted())")
        return (registration.clientID, stored != nil)
    }
}
