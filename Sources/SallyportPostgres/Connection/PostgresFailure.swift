#if PostgreSQL && os(Linux)

import SallyportOAuth
import SallyportStorage

/// The failure of a connection or a statement. Its message contains no value of a statement.
enum PostgresFailure: Error {
    /// The task was cancelled.
    case cancelled
    /// The settings of the connection cannot be used.
    case configuration(String)
    /// The server did not respond within the limit.
    case timedOut(Duration)
    /// The connection could not be established or was lost.
    case lost(String)
    /// All connections of this process are in use.
    case busy(String)
    /// The server is a replica or accepts no writes for another reason.
    case readOnly(String)
    /// The server reported an error.
    ///
    /// - Parameter code: The SQLSTATE code (PostgreSQL, appendix A).
    case server(code: String, message: String)

    /// The exclusive access has ended, and another process has changed the row.
    case accessLost
    /// The value of the row is longer than the maximum, and was not read. Both numbers are bytes.
    case tooLarge(size: Int, maximum: Int)

    /// The tables have another version than this program supports.
    case otherVersion(Int)

    /// Returns the failure for the message of a connection that could not be established.
    ///
    /// - Parameter message: The message in the verbose format, with a line for each attempt. An error of the server has a code after
    ///   two spaces, `failed: FATAL:  28P01: …`, and explains more than an address that cannot be reached.
    static func connecting(_ message: String, secrets: [String]) -> PostgresFailure {
        let lines = message.split(separator: "\n").map(String.init)
        for line in lines {
            guard let code = line.firstMatch(of: #/: {2}([0-9A-Z]{5}): /#)?.output.1 else { continue }
            return .server(code: String(code), message: SanitizedText.make(from: line, removing: secrets))
        }
        if lines.contains(where: { $0.contains("no password supplied") }) {
            return .configuration(
                "the server asks for a password, and there is none; set PGPASSWORD, or SALLYPORT_STORE_PASSWORD_FILE for the command"
            )
        }
        for line in lines {
            guard let advice = securityAdvice(for: line) else { continue }
            let problem = SanitizedText.make(from: line, removing: secrets)
            return .configuration("a secure connection to the database cannot be established: \(problem); \(advice)")
        }
        return .lost(SanitizedText.make(from: lines.first ?? "no reason is known", removing: secrets))
    }
}

extension PostgresFailure {
    /// Returns the advice for a line of libpq's message about TLS; `nil` if its problem is another one, such as a lost connection.
    private static func securityAdvice(for line: String) -> String? {
        // The names of hosts and files are in quotes.
        let text = line.replacing(#/"[^"]*"/#, with: "")
        if text.contains("does not match host name") { return "use a host name of the server's certificate in the URL" }
        if text.contains("certificate verify failed") || text.contains("root certificate") {
            return "set sslrootcert to the file with the authority of the server's certificate"
        }
        if text.contains("does not support SSL") {
            return "enable TLS on the server; only in a trusted network, set sslmode=disable in the URL instead"
        }
        // A connection that is lost during the handshake.
        if text.contains("unexpected eof") { return nil }
        let others = ["certificate", "private key file", "sslmode", "SSL error: "]
        guard others.contains(where: { text.contains($0) }) else { return nil }
        return "check sslmode, sslrootcert, sslcert, sslkey and the host name in the URL"
    }

    /// Returns the error of a store.
    ///
    /// - Parameters:
    ///   - attempt: The attempted operation: "the token row "user-42" of the database tokens cannot be saved".
    ///   - general: The reason if no other is more specific: `.cannotRead` or `.cannotWrite`.
    func error(_ attempt: String, _ general: RecordStoreError.Reason) -> any Error {
        let (reason, explanation): (RecordStoreError.Reason, String)
        switch self {
        case .cancelled: return CancellationError()
        case .configuration(let text): (reason, explanation) = (.configuration, text)
        case .timedOut(let limit):
            (reason, explanation) = (.timedOut, "the database did not respond within \(limit); try again later")
        case .lost(let text):
            (reason, explanation) = (.unreachable, "the connection to the database failed: \(text); try again later")
        case .busy(let text): (reason, explanation) = (.busy, text)
        case .readOnly(let text):
            (reason, explanation) = (.readOnly, "\(text); list the hosts of the primary and its replicas in the URL")
        case .accessLost:
            (reason, explanation) = (
                .accessLost, "the exclusive access has ended, and another process has changed it; load it again"
            )
        case .tooLarge(let size, let maximum):
            (reason, explanation) = (.tooLarge, "it has \(size) bytes, more than the maximum of \(maximum); remove it")
        case .otherVersion(let version):
            let supported = SchemaMigration.version
            let advice = version > supported ? "use a later program" : "run sallyport store migrate"
            (reason, explanation) = (
                .schema, "the tables have the version \(version), and this program supports \(supported); \(advice)"
            )
        case .server(let code, let message):
            (reason, explanation) = Self.explanation(code, message, orElse: general)
        }
        return RecordStoreError(reason, "\(attempt): \(explanation)")
    }

    /// `true` if the tables may have another version: one is missing, lacks a column, or has other constraints.
    var maySignifyOtherVersion: Bool {
        if case .server(let code, _) = self {
            ["42P01", "42703"].contains(code) || code.hasPrefix("23")
        } else {
            false
        }
    }

    /// `true` if the database has no free connection, or is starting.
    var isShortage: Bool {
        if case .server(let code, _) = self { ["53300", "57P03"].contains(code) } else { false }
    }

    /// `true` if the connection can no longer be used.
    var endsConnection: Bool {
        switch self {
        case .server(let code, _): Self.endsConnection(code) || code == "25006"
        case .cancelled, .configuration, .timedOut, .lost, .readOnly: true
        case .busy, .accessLost, .tooLarge, .otherVersion: false
        }
    }

    /// Returns the explanation of a refusal by PgBouncer. Such refusals have no code of their own, and another attempt does not change
    /// them.
    private static func poolerRefusal(_ message: String) -> (RecordStoreError.Reason, String)? {
        let text = message.lowercased()
        func contains(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        if contains("password authentication failed", "no such user", "authentication failed") {
            return (.notPermitted, "\(message); check the user, the password and the users of PgBouncer")
        }
        if contains("no such database") {
            return (
                .configuration, "\(message); correct the URL, or add the database to the configuration of PgBouncer"
            )
        }
        if contains("unsupported startup parameter", "statement pooling") {
            return (.configuration, "\(message); remove the parameter from the URL, and use pool_mode = transaction")
        }
        if contains("no more connections allowed") {
            return (.unreachable, "PgBouncer has no free connection: \(message); raise max_client_conn")
        }
        return nil
    }

    private static func endsConnection(_ code: String) -> Bool {
        // Connection exceptions, the end of the server or of the session, and the timeouts that end a session.
        code.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(code)
    }

    private static func explanation(
        _ code: String,
        _ message: String,
        orElse reason: RecordStoreError.Reason
    ) -> (RecordStoreError.Reason, String) {
        let message = "\(message) (\(code))"
        let later = "\(message); try again later"
        if code == "08P01", let refusal = poolerRefusal(message) { return refusal }
        if endsConnection(code) { return (.unreachable, "the database ended the connection: \(later)") }
        switch code {
        case "25006":
            return (.readOnly, "the database accepts no writes, as a replica does: \(message); use the primary")
        case "53100": return (.full, "the disk of the database is full: \(message); free some space")
        case "57014": return (.timedOut, "the database took too long: \(later)")
        case "55P03":
            return (.busy, "another process has held it for too long: \(message); end that process if it hangs")
        case "40P01", "40001":
            return (.busy, "the database ended it because of a conflict with another transaction: \(later)")
        case "3F000", "42P01", "42703":
            return (.schema, "the database lacks its tables: \(message); run sallyport store migrate")
        case "3D000": return (.configuration, "\(message); correct the URL or create the database")
        case "42501": return (.notPermitted, "\(message); grant the user access to the tables")
        case _ where code.hasPrefix("28"):
            return (.notPermitted, "\(message); check the user, the password and pg_hba.conf")
        case "53300":
            let advice = "use PgBouncer, or raise max_connections"
            return (.unreachable, "the database has no free connection: \(message); \(advice)")
        case _ where code.hasPrefix("53"): return (.unreachable, "the database lacks resources: \(later)")
        default: return (reason, "\(message); check the log of the database")
        }
    }
}

#endif
