import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct StoreCommandTests {
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

    #if !(PostgreSQL && os(Linux))
    @Test func `Without the package trait, a database is refused with the way to build the command`() async throws {
        try await withTemporaryDirectory { home in
            var environment = Tool.environment(home: home)
            environment["SALLYPORT_STORE"] = "postgres://127.0.0.1:1/tokens"
            let outcome = try await Tool.run(["otp"], environment: environment)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("--traits default,PostgreSQL"), "\(outcome.errors)")
        }
    }
    #endif
}
