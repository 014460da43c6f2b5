import ArgumentParser
import Foundation
import SallyportPostgres

/// Manages the database with the logins of all profiles.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Manages the database in SALLYPORT_STORE.",
        subcommands: [MigrateStoreCommand.self, RotateStoreCommand.self]
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
        try ProfileDatabase.checkIsSet()
        #if PostgreSQL && os(Linux)
        guard let database = try ProfileDatabase.database() else { return }
        let (old, new) = try await database.migrate()
        print("The tables have the version \(new)\(old == new ? "" : "; before, they had the version \(old)").")
        #endif
    }
}

/// Replaces the key of the database.
struct RotateStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Encrypts all logins in the database again, under the first of several keys.",
        discussion: """
            A key is replaced in four steps, in which no login is lost. SALLYPORT_STORE_KEY, or the key of a program, \
            has one key per line: the first encrypts, and all of them decrypt.
              1. Add the new key as the second line everywhere.
              2. Move it to the first line everywhere.
              3. Run this command once.
              4. Remove the old key everywhere.
            """
    )

    func run() async throws {
        try ProfileDatabase.checkIsSet()
        #if PostgreSQL && os(Linux)
        let key = try ProfileFolder().storeKey()
        guard let count = try await ProfileDatabase.rotate(key: key) else { return }
        print("\(count) \(count == 1 ? "row is" : "rows are") encrypted under the first key.")
        #endif
    }
}
