#if PostgreSQL && os(Linux)

import Foundation
import SallyportGateway
import TestSupport
import Testing

/// The command `sallyport` with a database.
@Suite(.concurrencyLimited) struct StoreInDatabaseTests {
    /// Returns the variables for the database, after writing its password to a file in a folder.
    private static func settings(in folder: URL) throws -> [String: String] {
        let passwordFile = folder.appendingPathComponent("password")
        try Data((TestSchema.password ?? "").utf8).write(to: passwordFile)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passwordFile.path)
        return [
            "SALLYPORT_STORE": TestSchema.url ?? "", "SALLYPORT_STORE_PASSWORD_FILE": passwordFile.path,
            "SALLYPORT_STORE_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    @Test func `A store in a database requires a key`() async throws {
        try await withTemporaryDirectory { home in
            var environment = Tool.environment(home: home)
            environment["SALLYPORT_STORE"] = "postgres://127.0.0.1:1/tokens"
            let outcome = try await Tool.run(["otp"], environment: environment)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("set SALLYPORT_STORE_KEY or SALLYPORT_STORE_KEY_FILE"), "\(outcome.errors)")
        }
    }

    @Test(.withPostgres)
    func `A logout without the server states that it applies to all computers with the database`() async throws {
        let server = GatewayConfiguration(authorizationServer: try AuthorizationServer(.development()))
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning(server) { address in
                let profile = ["--profile", "p-\(UUID().uuidString.lowercased())"]
                var environment = Tool.environment(home: folder.appendingPathComponent("home"))
                environment.merge(try Self.settings(in: folder)) { $1 }
                environment["SALLYPORT_CLIENT_SECRET"] = "s3cret-conf"
                #expect(try await Tool.run(["store", "migrate"], environment: environment).status == 0)
                let login = ["login", "--issuer", address.baseURL, "--client-id", "conf"]
                let flow = ["--flow", "client-credentials", "--scope", "api"]
                let loggedIn = try await Tool.run(login + flow + profile, environment: environment)
                #expect(loggedIn.status == 0, "\(loggedIn.errors)")
                let outcome = try await Tool.run(["logout", "--local"] + profile, environment: environment)
                let computers = "on all computers that use the database in SALLYPORT_STORE"
                #expect(
                    outcome.errors
                        == "The profile \(profile[1]) is logged out \(computers). Nothing was sent to the server.\n"
                )
            }
        }
    }

    @Test(.withPostgres)
    func `A login of another client, or under another key, is replaced only with --force`() async throws {
        let server = GatewayConfiguration(authorizationServer: try AuthorizationServer(.development()))
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning(server) { address in
                let schema = "test_\(UUID().uuidString.replacing("-", with: "_").lowercased())"
                let profile = ["--profile", "fleet"]
                let settings = try Self.settings(in: folder)
                func run(_ machine: String, _ arguments: [String], changing changes: [String: String] = [:])
                    async throws
                    -> Tool.Outcome
                {
                    var environment = Tool.environment(home: folder.appendingPathComponent(machine))
                    environment.merge(settings) { $1 }
                    environment["SALLYPORT_CLIENT_SECRET"] = "s3cret-conf"
                    environment["SALLYPORT_STORE_SCHEMA"] = schema
                    environment.merge(changes) { $1 }
                    return try await Tool.run(
                        arguments + (arguments[0] == "store" ? [] : profile),
                        environment: environment
                    )
                }
                func login(_ client: String) -> [String] {
                    [
                        "login", "--issuer", address.baseURL, "--client-id", client, "--flow", "client-credentials",
                        "--scope", "api",
                    ]
                }
                // Before the tables exist, the login fails before it signs in.
                let early = try await run("a", login("conf"))
                #expect(early.status != 0 && early.errors.contains("run sallyport store migrate"), "\(early.errors)")
                #expect(try await run("a", ["store", "migrate"]).status == 0)
                #expect(try await run("a", login("conf")).status == 0)

                // The same login again, on another machine, is no replacement.
                #expect(try await run("b", login("conf")).status == 0)
                #expect(try await run("a", ["token"]).status == 0)

                let key = Data(repeating: 9, count: 32).base64EncodedString()
                let other = try await run("c", login("other"))
                #expect(other.status == 2 && other.errors.contains("belongs to the client conf"), "\(other.errors)")
                #expect(other.errors.contains("--force"))
                let otherKey = try await run("c", login("conf"), changing: ["SALLYPORT_STORE_KEY": key])
                #expect(otherKey.status == 2 && otherKey.errors.contains("under another key"), "\(otherKey.errors)")
                #expect(try await run("a", ["token"]).status == 0)

                // The key is replaced without a new login.
                let keys = ["SALLYPORT_STORE_KEY": "\(key)\n\(settings["SALLYPORT_STORE_KEY"] ?? "")"]
                let rotated = try await run("a", ["store", "rotate"], changing: keys)
                #expect(rotated.text == "1 record is encrypted under the first key.\n", "\(rotated.errors)")
                #expect(try await run("a", ["token"], changing: ["SALLYPORT_STORE_KEY": key]).status == 0)
                #expect(try await run("a", ["token"]).status != 0)

                let forced = try await run("c", login("conf") + ["--force"])
                #expect(forced.status == 0, "\(forced.errors)")
                #expect(try await run("a", ["token"]).status == 0)
            }
        }
    }

    @Test(.withPostgres)
    func `Machines with the same database share the records of a profile`() async throws {
        try await withTemporaryDirectory { folder in
            let settings = try Self.settings(in: folder)
            let profile = "p-\(UUID().uuidString.lowercased())"
            let homes = ["a", "b"].map { folder.appendingPathComponent($0) }
            let machines = homes.map { Tool.environment(home: $0).merging(settings) { $1 } }
            let migrated = try await Tool.run(["store", "migrate"], environment: machines[0])
            #expect(migrated.text.hasPrefix("The tables have the version"), "\(migrated.errors)")
            let uri = "otpauth://hotp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example"
            let added = try await Tool.run(
                ["otp", "add", "-", "--profile", profile],
                input: Data(uri.utf8),
                environment: machines[0]
            )
            #expect(added.status == 0, "\(added.errors)")
            for (machine, password) in zip(machines, ["755224", "287082"]) {
                let outcome = try await Tool.run(["otp", "--profile", profile], environment: machine)
                #expect(outcome.text == password + "\n", "\(outcome.errors)")
            }
            for home in homes { #expect(!FileManager.default.fileExists(atPath: home.path)) }
            #expect(
                try await Tool.run(["otp", "remove", "alice", "--profile", profile], environment: machines[1]).status
                    == 0
            )
        }
    }
}

#endif
