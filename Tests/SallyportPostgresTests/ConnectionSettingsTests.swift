#if PostgreSQL && os(Linux)

import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

@Suite(.concurrencyLimited) struct ConnectionSettingsTests {
    private func settings(
        _ url: String,
        password: String? = nil,
        environment: [String: String] = [:]
    ) throws(RecordStoreError) -> ConnectionSettings {
        try ConnectionSettings(url, password: password, limit: .seconds(10), environment: environment)
    }

    @Test(arguments: [
        ("postgres://db.example.com/t", "verify-full"), ("postgresql://192.0.2.1/t", "verify-full"),
        ("postgres://127.0.0.1.example.com/t", "verify-full"),
        ("postgres://db.example.com/t?sslmode=require", "require"),
        ("postgres://localhost/t", "require"), ("postgres://127.0.0.2/t", "require"), ("postgres://[::1]/t", "require"),
        ("postgres://localhost/t?sslmode=prefer", "prefer"),
        ("postgres:///t", "prefer"), ("postgres:///t?host=/run/postgresql", "prefer"),
        ("postgres://localhost/t?hostaddr=192.0.2.1", "verify-full"),
    ])
    func `Another machine proves its identity, and this one uses TLS or a socket, unless the URL states otherwise`(
        url: String,
        mode: String
    ) throws {
        #expect(try settings(url).hosts.map { $0["sslmode"] } == [mode])
    }

    @Test func `The variables of libpq count as stated`() throws {
        let url = "postgres:///t"
        #expect(try settings(url, environment: ["PGHOST": "db.example.com"]).hosts[0]["sslmode"] == "verify-full")
        #expect(try settings(url, environment: ["PGSERVICE": "db"]).hosts[0]["sslmode"] == "verify-full")
        let stated = try settings("postgres://db.example.com/t", environment: ["PGSSLMODE": "require"])
        #expect(stated.hosts[0]["sslmode"] == nil)
    }

    @Test func `The authorities are those of the system also if a variable states that they are required`() throws {
        let inURL = try settings("postgres://localhost/t?sslmode=verify-full").hosts[0]["sslrootcert"]
        let variable = ["PGSSLMODE": "verify-full"]
        #expect(try settings("postgres://localhost/t", environment: variable).hosts[0]["sslrootcert"] == inURL)
        let others = ["PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/ca.pem"]
        #expect(try settings("postgres://localhost/t", environment: others).hosts[0]["sslrootcert"] == nil)
        let optional = try settings("postgres://localhost/t", environment: ["PGSSLMODE": "require"])
        #expect(optional.hosts[0]["sslrootcert"] == nil)
        let replaced = try settings("postgres://localhost/t?sslmode=require", environment: variable)
        #expect(replaced.hosts[0]["sslrootcert"] == nil)
    }

    @Test func `Hosts are tried one after the other, each with its own port`() throws {
        let several = try settings("postgres://u@a.example:1,b.example:2/t?sslrootcert=/ca.pem")
        #expect(several.hosts.map { $0["host"] } == ["a.example", "b.example"])
        #expect(several.hosts.map { $0["port"] } == ["1", "2"])
        #expect(several.hosts.allSatisfy { $0["sslmode"] == "verify-full" && $0["sslrootcert"] == "/ca.pem" })
        #expect(several.description == "the database t at a.example, b.example")
        expectError(\RecordStoreError.reason, .configuration) { try settings("postgres://a,b/t?hostaddr=127.0.0.1") }
    }

    @Test func `A password replaces the one in the URL, and no description contains it`() throws {
        let database = try PostgresDatabase("postgres://u:canary-1@db.example.com/t", password: "canary-2")
        #expect("\(database)" == "the database t at db.example.com")
        var dumped = ""
        dump(database, to: &dumped)
        #expect(!dumped.contains("canary"))
        let settings = try settings("postgres://u:canary%2D1@db.example.com/t")
        #expect(settings.hosts[0]["password"] == "canary-1")
        #expect(settings.secrets == ["canary-1"])
    }

    @Test(arguments: [
        "", "mysql://db.example.com/t", "postgres://u:canary@db:port/?x=%zz", "postgres://db/t?unknown=canary",
        "postgres://db/t?service=canary", "postgres://u:cana%ry@db/t",
    ])
    func `A URL that cannot be used is refused without being quoted`(_ url: String) {
        let error = expectError(\RecordStoreError.reason, .configuration) { try settings(url) }
        #expect(error?.description.contains("cana") == false)
        #expect(error?.description.contains("postgres://user@host/database") == true)
    }

    @Test func `Limits and schemas that cannot be used are refused`() {
        let changes: [@Sendable (inout PostgresConfiguration) -> Void] = [
            { $0.maximumConnections = 0 }, { $0.maximumConnections = 101 }, { $0.holdLimit = .zero },
            { $0.schema = "" }, { $0.schema = "a; DROP" }, { $0.schema = "pg_catalog" }, { $0.schema = "Sallyport" },
        ]
        for change in changes {
            expectError(\RecordStoreError.reason, .configuration) {
                try PostgresDatabase("postgres:///t", configure: change)
            }
        }
    }

    @Test(arguments: [
        ("FATAL:  28P01: password authentication failed for user \"u\"\nLOCATION: x", "28P01"),
        ("connection to server at \"::1\", port 5432 failed: FATAL:  57P03: the database is starting up", "57P03"),
        (
            "connection to server at \"h\" (::1), port 1 failed: Connection refused\n\tIs the server running?\n"
                + "connection to server at \"h\" (127.0.0.1), port 1 failed: FATAL:  28000: no entry\nLOCATION: x",
            "28000"
        ),
        ("connection to server at \"::1\", port 5432 failed: Connection refused", nil),
    ])
    func `The code of an error is found in the message of a failed connection`(_ message: String, _ code: String?) {
        let failure = PostgresFailure.connecting(message, secrets: [])
        switch failure {
        case .server(let found, let text):
            #expect(found == code)
            #expect(!text.contains("LOCATION"))
        default: #expect(code == nil)
        }
    }

    @Test(arguments: [
        ("SSL error: certificate verify failed", "set sslrootcert to the file"),
        ("root certificate file \"/x\" does not exist\nEither provide the file or change sslmode", "set sslrootcert"),
        ("server certificate for \"a\" does not match host name \"b\"", "use a host name of the server's certificate"),
        ("server does not support SSL, but SSL was required", "enable TLS on the server"),
        ("SSL error: wrong version number", "check sslmode"),
        ("private key file \"/k\" has group or world access", "check sslmode"),
    ])
    func `A failure of TLS is one of the configuration, with advice`(_ problem: String, _ advice: String) {
        let message =
            "connection to server at \"h\" (::1), port 1 failed: Connection refused\n\tIs the server running?\n"
            + "connection to server at \"h\" (127.0.0.1), port 1 failed: \(problem)\n"
        let error = PostgresFailure.connecting(message, secrets: []).error("it cannot be read", .cannotRead)
        let failure = error as? RecordStoreError
        #expect(failure?.reason == .configuration)
        #expect(failure?.description.contains(advice) == true, "\(error)")
        #expect(failure?.description.contains("try again later") == false)
    }

    @Test(arguments: [
        "connection to server at \"certificate.example\" (192.0.2.1), port 5432 failed: Connection refused",
        "connection to server at \"h\" (192.0.2.1), port 5432 failed: SSL error: unexpected eof while reading",
        "connection to server at \"h\" (192.0.2.1), port 5432 failed: SSL SYSCALL error: EOF detected",
        "could not translate host name \"sslmode\" to address: Name or service not known",
    ])
    func `Another failure to connect can be temporary`(_ message: String) {
        let error = PostgresFailure.connecting(message, secrets: []).error("it cannot be read", .cannotRead)
        #expect((error as? RecordStoreError)?.reason == .unreachable)
    }

    @Test(arguments: [
        ("password authentication failed", RecordStoreError.Reason.notPermitted, "the users of PgBouncer"),
        ("no such user: app", .notPermitted, "the users of PgBouncer"),
        ("no such database: tokens", .configuration, "the configuration of PgBouncer"),
        ("unsupported startup parameter: options", .configuration, "remove the parameter from the URL"),
        ("transaction blocks not allowed in statement pooling mode", .configuration, "pool_mode = transaction"),
        ("no more connections allowed (max_client_conn)", .unreachable, "raise max_client_conn"),
        ("server login has been failing, try again later (server_login_retry)", .unreachable, "try again later"),
    ])
    func `A refusal by PgBouncer, which has one code for all, is explained by its text`(
        _ text: String,
        _ reason: RecordStoreError.Reason,
        _ advice: String
    ) {
        let message = "connection to server at \"h\" (192.0.2.1), port 6432 failed: FATAL:  08P01: \(text)\nLOCATION: x"
        let error = PostgresFailure.connecting(message, secrets: []).error("it cannot be read", .cannotRead)
        let failure = error as? RecordStoreError
        #expect(failure?.reason == reason)
        #expect(failure?.description.contains(advice) == true, "\(error)")
    }

    @Test(arguments: ["40P01", "40001"])
    func `A transaction that conflicts with another one can be repeated`(_ code: String) {
        let error = PostgresFailure.server(code: code, message: "it failed").error("it cannot be saved", .cannotWrite)
        let failure = error as? RecordStoreError
        #expect(failure?.reason == .busy)
        #expect(failure?.description.contains("another transaction: it failed (\(code)); try again later") == true)
    }
}

#endif
