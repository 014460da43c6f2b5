import Foundation
import Sallyport
import SallyportOAuth
import SallyportResource
import SessionSupport
import TestSupport
import Testing

@testable import SallyportGateway

/// The registrations that killed processes leave. Each process is killed when the server has received a certain number of bytes, so that
/// every part of a registration and of the requests for tokens after it is interrupted.
@Suite(.busy) struct KilledRegistrationTests {
    /// The number of processes that are killed: 10 or `SALLYPORT_KILLS`.
    private static let kills = ProcessInfo.processInfo.environment["SALLYPORT_KILLS"].flatMap { Int($0) } ?? 10
    /// The number of bytes that a process sends in a registration and about two requests for tokens.
    private static let bytes = 5_000

    @Test func `A device whose process is killed registers once, and is authenticated by the next process`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(configuration)
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await withTemporaryDirectory { directory in
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                    await server.serve(at: "http://\(recorder.authority)")
                    var devices: Set<String> = []
                    var resumed = 0
                    for number in 0..<Self.kills {
                        let folder = directory.appendingPathComponent("\(number)")
                        let file = DeviceInstallation.statementFile(of: folder)
                        try statement.write(to: file, atomically: true, encoding: .utf8)
                        try await Self.kill(number, in: folder, recorder)
                        let (device, wasRegistered) = try await Self.resume(in: folder, recorder)
                        devices.insert(device)
                        if wasRegistered { resumed += 1 }
                    }
                    #expect(devices.count == Self.kills)
                    #expect(await Set(server.devices.map(\.clientID)) == devices)
                    // Some processes are killed when they have requested a token, which they do after they have stored the registration.
                    #expect(resumed > 0)
                    print("\(Self.kills) killed registrations: \(resumed) were stored, the others were completed")
                }
            }
        }
    }

    /// Starts a process that registers the device and authenticates it repeatedly, and kills it.
    private static func kill(_ number: Int, in folder: URL, _ recorder: ScriptedServer) async throws {
        let index = recorder.acceptedConnections
        let worker = try Worker(folder, port: recorder.port, mode: "device")
        let connection = try await recorder.connection(index)
        try await connection.waitUntilReceived(count: 1 + number * 7_919 % bytes)
        try await Task.sleep(for: .microseconds(number * 104_729 % 3_000))
        worker.kill()
        // The system closes the connection when the process has ended.
        try await connection.waitUntilClosedByClient()
    }

    /// Authenticates the device as the next process, and calls a resource.
    ///
    /// - Returns: The client identifier of the device, and a Boolean value that indicates whether the killed process had stored the
    ///   registration.
    private static func resume(in folder: URL, _ recorder: ScriptedServer) async throws -> (String, Bool) {
        let client = HttpClient.createClient()
        defer { client.close() }
        let identity = DeviceInstallation.identity(in: folder, port: recorder.port, sendingWith: client)
        let stored = try await identity.registration()
        try await identity.authenticateDevice(scopes: ["api"])
        let registration = try #require(try await identity.registration())
        if let stored { #expect(registration == stored) }
        let base = "http://\(recorder.authority)"
        let api = client.authorized(by: identity.deviceSession, for: base)
        #expect(try await api.request { $0.url = base + "/protected" }.status == .ok)
        await identity.finish()

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let files = ["device-identity.json", "device-tokens.json"]
        #expect(names == files.flatMap { [$0, $0 + ".lock"] })
        return (registration.clientID, stored != nil)
    }
}
