import Foundation
import SallyportJourney
import SallyportOAuth
import SallyportPostgres
import SallyportStorage

/// The store of a record of a profile: a file in the folder of the profile, or a row of the database in `SALLYPORT_STORE`.
struct ProfileStore<Record: StoredRecord>: RecordStore {
    private let store: any RecordStore<Record>

    init(_ store: any RecordStore<Record>) { self.store = store }

    func load() async throws -> Record? { try await store.load() }
    func save(_ record: Record) async throws { try await store.save(record) }
    func delete() async throws { try await store.delete() }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await store.withExclusiveAccess(body)
    }

    /// Checks that saving a record would not replace an encrypted file by one in plain text. Rows are always encrypted.
    func checkReplaceable() async throws(RecordStoreError) {
        if let file = store as? FileRecordStore<Record> { try await file.checkReplaceable() }
    }

    /// Checks that a record can be saved: its directory can be written, or its row can be locked.
    func checkWritable() async throws { try await store.withExclusiveAccess {} }
}

extension ProfileStore: TokenStore where Record == TokenRecord {}

extension ProfileStore: JourneySessionStore where Record == JourneySessionRecord {}

/// The database with the logins of all profiles, from the environment.
enum ProfileDatabase {
    private static let variable = "SALLYPORT_STORE"

    /// The URL in the environment; `nil` if profiles are stored in files.
    ///
    /// - Throws: A failure if it is no URL of a database.
    static func url(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> String? {
        guard let url = environment[variable], !url.isEmpty else { return nil }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw CommandFailure(
                .usage,
                "\(variable) is not the URL of a database: postgres://user@host/database; without it, logins are in files"
            )
        }
        #if PostgreSQL && os(Linux)
        return url
        #else
        throw CommandFailure(
            .usage,
            "\(variable) is set, and this sallyport was built without PostgreSQL; build it on Linux with libpq-dev: "
                + "swift build -c release --product sallyport --traits default,PostgreSQL"
        )
        #endif
    }

    /// Checks that logins are stored in a database.
    static func checkIsSet() throws(CommandFailure) {
        if try url() != nil { return }
        throw CommandFailure(.usage, "\(variable) is not set; set it to the URL: postgres://user@host/database")
    }

    /// The computers on which a removed login is missing, for messages.
    static func computers() throws(CommandFailure) -> String {
        try url() == nil ? "on this computer" : "on all computers that use the database in \(variable)"
    }

    #if PostgreSQL && os(Linux)
    /// One database for all stores of the process, so that they share its connections.
    private static let shared = Swift.Result<PostgresDatabase?, any Error> {
        try url().map { url in
            try PostgresDatabase(url, password: try password()) { config in
                guard let schema = ProcessInfo.processInfo.environment["SALLYPORT_STORE_SCHEMA"], !schema.isEmpty else {
                    return
                }
                config.schema = schema
            }
        }
    }

    /// Returns the database; `nil` if profiles are stored in files.
    ///
    /// - Throws: A failure if the environment has an unusable URL or password file.
    static func database() throws -> PostgresDatabase? { try shared.get() }

    /// Returns the store of a record of a profile; `nil` if it is a file.
    ///
    /// - Parameter key: The key in the environment.
    static func store<Record>(
        of name: ProfileName,
        key: () throws -> RecordStoreKey?
    ) throws -> PostgresRecordStore<Record>? {
        guard let database = try database() else { return nil }
        guard let key = try key() else {
            throw CommandFailure(
                .usage,
                "logins in a database are encrypted: set SALLYPORT_STORE_KEY or SALLYPORT_STORE_KEY_FILE to the key "
                    + "(openssl rand -base64 32)"
            )
        }
        return PostgresRecordStore(name.description, in: database, key: key)
    }

    /// Re-encrypts all rows with the first key, through a closure that counts those that succeed.
    static func reencrypt(
        key: RecordStoreKey,
        _ count: (_ encrypt: () async throws -> Int) async -> Void
    ) async throws {
        guard let database = try database() else { return }
        func encrypt<Record: StoredRecord>(_: Record.Type) async throws {
            for name in try await database.names(of: Record.self) {
                let store = PostgresRecordStore<Record>(name, in: database, key: key)
                await count { try await store.reencrypt() ? 1 : 0 }
            }
        }
        try await encrypt(TokenRecord.self)
        try await encrypt(JourneySessionRecord.self)
        try await encrypt(AuthenticatorRecord.self)
        try await encrypt(MechanismRecord.self)
    }

    /// Returns the password in the file `SALLYPORT_STORE_PASSWORD_FILE`; `nil` if the variable is not set.
    private static func password() throws -> String? {
        let variable = "SALLYPORT_STORE_PASSWORD_FILE"
        guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return nil }
        let data: Data?
        do throws(PrivateAccessError) {
            data = try SecretFile.read(path, upTo: 4096)
        } catch {
            let problem = RecordStoreError(file: path, error)
            throw CommandFailure(.unreadableInput, "the password in \(variable) cannot be read: \(problem)")
        }
        guard let data else {
            throw CommandFailure(.unreadableInput, "there is no file \(path), which \(variable) names")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
    #endif
}
