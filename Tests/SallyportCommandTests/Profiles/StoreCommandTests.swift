import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct StoreCommandTests {
    /// The URL and password of the database that `.ci/real-servers postgres` has started.
    private static let url = ProcessInfo.processInfo.environment["SALLYPORT_POSTGRES"]
    private static let password = ProcessInfo.processInfo.environment["SALLYPORT_POSTGRES_PASSWORD"]

    @Test func `The store must be the URL of a database`() async throws {
        try await withTemporaryDirectory { home in
            var environment = Tool.environment(home: home)
            let missing = try await Tool.run(["store", "migrate"], environment: environment)
            #expect(missing.status == 2)
            #expect(missing.errors.contains("SALLYPORT_STORE is not set"), "\(missing.errors)")
            environment["SALLYPORT_STORE"] = "mysql://canary@db.example.com/tokens"
            for arguments in [["store", "migrate"], ["otp"]] {
                let other = try await Tool.run(arguments, environment: environment)
                #expect(other.status == 2)
                #expect(other.errors.contains("SALLYPORT_STORE is not the URL of a database"), "\(other.errors)")
                #expect(!other.errors.contains("canary"))
            }
        }
    }

    #if PostgreSQL && os(Linux)
    /// Returns the variables for the database, after writing its password to a file in a folder.
    private static func settings(in folder: URL) throws -> [String: String] {
        let passwordFile = folder.appendingPathComponent("password")
        try Data((password ?? "").utf8).write(to: passwordFile)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passwordFile.path)
        return [
            "SALLYPORT_STORE": url ?? "", "SALLYPORT_STORE_PASSWORD_FILE": passwordFile.path,
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

    @Test(.enabled(if: url != nil, "run .ci/real-servers postgres"))
    func `A logout without the server states that it applies to all computers with the database`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let environment = Tool.environment(home: signIn.home).merging(try Self.settings(in: signIn.home)) { $1 }
            #expect(try await Tool.run(["store", "migrate"], environment: environment).status == 0)
            let outcome = try await Tool.run(["logout", "--local"], environment: environment)
            let computers = "on all computers that use the database in SALLYPORT_STORE"
            #expect(
                outcome.errors
                    == "The profile default is logged out \(computers). Nothing was sent to the server.\n"
            )
        }
    }

    @Test(.enabled(if: url != nil, "run .ci/real-servers postgres"))
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
    #else
    @Test func `Without the package trait, a database is refused with the way to build the command`() async throws {
        try await withTemporaryDirectory { home in
            var environment = Tool.environment(home: home)
            environment["SALLYPORT_STORE"] = "postgres://127.0.0.1:1/tokens"
            let outcome = try await Tool.run(["otp"], environment: environment)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("--traits PostgreSQL"), "\(outcome.errors)")
        }
    }
    #endif
}
