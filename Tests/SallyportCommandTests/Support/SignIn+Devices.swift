import Foundation
import SallyportGateway
import TestSupport
import Testing

extension SignIn {
    /// Writes settings that pin the key of an authority to a file.
    static func writeDeviceSettings(_ file: URL, base: String, certificate: String, statement: String) throws {
        let settings: [String: Any] = [
            "appIdentifier": "com.example.app", "appVersion": "1.0", "appPlatform": "linux",
            "baseURL": base, "resourceBaseURL": base + "/resources/",
            "certificates": [certificate],
            "softwareStatement": statement, "integrityChecks": [String](),
        ]
        try JSONSerialization.data(withJSONObject: settings).write(to: file)
    }

    /// Runs a test with a gateway over TLS, and a file with settings that pin the key of its authority.
    static func withDeviceSettings(_ body: (_ signIn: SignIn, _ file: String) async throws -> Void) async throws {
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await SignIn.with(secure: true) { signIn in
            let authority = try #require(signIn.authority)
            let certificate = try String(contentsOfFile: authority, encoding: .utf8)
            let file = URL(fileURLWithPath: authority).deletingLastPathComponent().appendingPathComponent("app.json")
            try writeDeviceSettings(file, base: signIn.base, certificate: certificate, statement: statement)
            try await body(signIn, file.path)
        }
    }

    /// Changes the JSON object in a file, whose permissions remain.
    static func changeJson(_ file: String, _ change: (inout [String: Any]) throws -> Void) throws {
        let url = URL(fileURLWithPath: file)
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        var members = try #require(json as? [String: Any])
        try change(&members)
        try JSONSerialization.data(withJSONObject: members).write(to: url)
    }

    /// Registers the device, and stores the settings.
    func registerDevice(_ file: String) async throws {
        let arguments = ["device", "register", "--config", file, "--cacert", authority ?? "", "--scope", "assets"]
        let outcome = try await run(arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("Registered at \(base) as "), "\(outcome.errors)")
    }

    /// Signs alice in, and registers her on the device.
    func registerAlice() async throws {
        let tool = try start(["device", "register", "--sign-in", "--scope", "accounts"])
        try await Visitor(authority).visit(try await tool.signInPage())
        let outcome = try await tool.outcome()
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Registered the user "), "\(outcome.errors)")
    }
}
