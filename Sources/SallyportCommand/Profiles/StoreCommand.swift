import ArgumentParser
import Foundation
import SallyportPostgres

/// Manages the database with the logins of all profiles.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Manages the database in SALLYPORT_STORE.",
        subcommands: [MigrateStoreCommand.self]
    )
}

/// Creates or updates the tables of the database.
struct MigrateStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Creates the tables of the database, or updates those of an earlier version.",
        discussion: """
            Run it once per release, with a user who may create tables; running it again changes nothing. Programs \
            that use PostgresTokenStore need the same tables. Sessions-of-a-Fleet.md describes them and the permissions of other \
            users.

            Example:
              SALLYPORT_STORE=postgres://owner@db.example.com/tokens \\
                sallyport store migrate
            """
    )

    func run() async throws {
        guard try ProfileDatabase.url() != nil else {
            throw CommandFailure(.usage, "SALLYPORT_STORE is not set; set it to the URL: postgres://user@host/database")
        }
        #if PostgreSQL && os(Linux)
        guard let database = try ProfileDatabase.database() else { return }
        let (old, new) = try await database.migrate()
        print("The tables have the version \(new)\(old == new ? "" : "; before, they had the version \(old)").")
        #endif
    }
}
