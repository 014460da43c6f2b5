#if PostgreSQL && os(Linux)

import CPostgres
import Foundation
import SallyportStorage

/// The parameters of connections, from the URL of a database.
///
/// Connections to other hosts require TLS with a verified certificate (`sslmode=verify-full`), and those to loopback addresses TLS
/// (`require`), unless the URL or the variable `PGSSLMODE` states another mode.
struct ConnectionSettings: Sendable {
    /// libpq's parameters for each host, in the order of the URL.
    let hosts: [[String: String]]

    /// Texts that no error may contain.
    let secrets: [String]

    /// The name of the database and its hosts, for errors.
    let description: String

    /// The files with the system's certificate authorities, in the order they are tried.
    private static let systemAuthorities = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    /// - Parameters:
    ///   - url: The URL.
    ///   - password: A password that replaces the one in the URL.
    ///   - limit: The maximum time to connect to a host. Half of it is the limit for one of its addresses, and for unconfirmed data.
    ///   - environment: The environment, with libpq's variables.
    /// - Throws: ``RecordStoreError`` with the reason ``RecordStoreError/Reason/configuration``. It contains no part of the URL.
    init(
        _ url: String,
        password: String?,
        limit: Duration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RecordStoreError) {
        var settings = try Self.parameters(of: url)
        if let password { settings["password"] = password }
        secrets = [settings["password"], settings["sslpassword"], environment["PGPASSWORD"]].compactMap { $0 }
        for (name, variable) in [("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT")]
        where settings[name] == nil {
            settings[name] = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        }
        // The pool checks this itself, so that the error is specific.
        if settings["target_session_attrs"] == "read-write" { settings["target_session_attrs"] = nil }
        let defaults = [
            "fallback_application_name": "sallyport",
            "gssencmode": "disable",
            "tcp_user_timeout": (limit / 2).milliseconds,
            "client_encoding": "UTF8",
        ]
        settings.merge(defaults) { stated, _ in stated }
        hosts = try Self.split(settings).map { settings in
            Self.secured(settings, environment: environment)
        }
        let names = hosts.compactMap { $0["host"] ?? $0["hostaddr"] }.joined(separator: ", ")
        description = "the database \(settings["dbname"] ?? "of the user")" + (names.isEmpty ? "" : " at \(names)")
    }

    private static func parameters(of url: String) throws(RecordStoreError) -> [String: String] {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
            throw invalid("the URL of the database does not begin with postgres://")
        }
        // The message of the parser may contain a part of the password, so it is not used.
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        PQfreemem(message)
        guard let options else {
            throw invalid("the URL of the database has a syntax error or an unknown parameter")
        }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val.map({ String(cString: $0) }), !value.isEmpty {
                settings[String(cString: keyword)] = value
            }
            option += 1
        }
        guard settings["service"] == nil else { throw invalid("the URL of the database has the parameter service") }
        return settings
    }

    /// Returns the settings for each host of a list. libpq would try all of them within one deadline.
    private static func split(_ settings: [String: String]) throws(RecordStoreError) -> [[String: String]] {
        func list(_ name: String) -> [String] {
            settings[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        let lists = ["host": list("host"), "hostaddr": list("hostaddr")].filter { !$0.value.isEmpty }
        let ports = list("port")
        let count = lists.values.map(\.count).max() ?? 1
        guard lists.values.allSatisfy({ $0.count == count }), ports.count <= 1 || ports.count == count else {
            throw invalid("the URL of the database has lists of hosts and ports with different lengths")
        }
        return (0..<count).map { index in
            var host = settings
            for (name, values) in lists { host[name] = values[index].isEmpty ? nil : values[index] }
            if !ports.isEmpty { host["port"] = ports.count == 1 ? ports[0] : ports[index] }
            if host["port"]?.isEmpty == true { host["port"] = nil }
            return host
        }
    }

    /// Returns the settings of a host with TLS, unless they state another mode or the host is a socket.
    private static func secured(_ settings: [String: String], environment: [String: String]) -> [String: String] {
        var settings = settings
        var mode = settings["sslmode"] ?? environment["PGSSLMODE"] ?? ""
        if mode.isEmpty {
            mode = environment["PGSERVICE"] == nil ? defaultMode(settings) : "verify-full"
            settings["sslmode"] = mode
        }
        let ownAuthorities = environment["HOME"].map { "\($0)/.postgresql/root.crt" }
        if mode == "verify-full", settings["sslrootcert"] == nil, environment["PGSSLROOTCERT"] == nil,
            ownAuthorities.map({ access($0, R_OK) != 0 }) ?? true
        {
            settings["sslrootcert"] = systemAuthorities.first { access($0, R_OK) == 0 }
        }
        return settings
    }

    /// Returns the mode of a connection if its settings state none. A loopback address needs TLS too: the program that listens there may
    /// belong to another user, and could ask for the password in clear text.
    private static func defaultMode(_ settings: [String: String]) -> String {
        guard let host = settings["hostaddr"] ?? settings["host"] else { return "prefer" }
        if host.hasPrefix("/") || host.hasPrefix("@") { return "prefer" }
        var address = in_addr()
        let isLoopback =
            host == "localhost" || host == "::1" || inet_pton(AF_INET, host, &address) == 1 && host.hasPrefix("127.")
        return isLoopback ? "require" : "verify-full"
    }

    private static func invalid(_ problem: String) -> RecordStoreError {
        RecordStoreError(
            .configuration,
            "\(problem); its form is postgres://user@host/database?parameter=value, with libpq's parameters"
        )
    }
}

#endif
