import ArgumentParser
import Foundation
import SallyportPostgres

/// Manages the stored logins of all profiles.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Manages stored logins: the tables of the database in SALLYPORT_STORE, and the key.",
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

/// Replaces the key of the stored logins.
struct RotateStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Encrypts all logins again, under the first of several keys.",
        discussion: """
            Replace a key in four steps, without a new login. SALLYPORT_STORE_KEY, or the key text of a program, has one \
            key per line: the first encrypts, and all of them decrypt.
              1. Add the new key as the second line everywhere.
              2. Move it to the first line everywhere.
              3. Run this command on each computer: it encrypts the files of its profiles and devices, and the rows in the \
            database of SALLYPORT_STORE.
              4. Remove the old key everywhere.
            """
    )

    func run() async throws {
        guard let key = try ProfileFolder().storeKey() else {
            throw CommandFailure(
                .usage,
                "there is no key; set SALLYPORT_STORE_KEY or SALLYPORT_STORE_KEY_FILE to the new key and, on the next line, the old one"
            )
        }
        var (encrypted, failed) = (0, 0)
        func count(_ encrypt: () async throws -> Int) async {
            do {
                encrypted += try await encrypt()
            } catch {
                failed += 1
                StandardError.print("Warning: \(error)")
            }
        }
        let folder = ProfileFolder()
        for name in folder.names { try await folder.reencrypt(name, count) }
        #if PostgreSQL && os(Linux)
        try await ProfileDatabase.reencrypt(key: key, count)
        #endif
        print("\(encrypted) \(encrypted == 1 ? "record is" : "records are") encrypted under the first key.")
        if failed > 0 {
            throw CommandFailure(
                .unreadableInput,
                "\(failed) could not be re-encrypted; correct the problems above, and run this command again before you remove the old key"
            )
        }
    }
}

extension ProfileFolder {
    /// Encrypts the files of a profile again, through a closure that counts those that it can encrypt.
    fileprivate func reencrypt(
        _ name: ProfileName,
        _ count: (_ encrypt: () async throws -> Int) async -> Void
    ) async throws {
        if try ProfileDatabase.url() == nil {
            let (tokens, session) = (try store(of: name), try sessionStore(of: name))
            let (passkeys, mechanisms) = (try authenticatorStore(of: name), try mechanismStore(of: name))
            await count { try await tokens.reencrypt() ? 1 : 0 }
            await count { try await session.reencrypt() ? 1 : 0 }
            await count { try await passkeys.reencrypt() ? 1 : 0 }
            await count { try await mechanisms.reencrypt() ? 1 : 0 }
        }
        let (device, identity) = (try deviceStore(of: name), try identityStores(of: name))
        await count { try await device.reencrypt() ? 1 : 0 }
        await count { try await identity.reencrypt() }
    }
}
