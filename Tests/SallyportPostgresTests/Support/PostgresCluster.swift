#if PostgreSQL && os(Linux)
import Foundation
import SallyportPostgres
import SallyportStorage
import TestSupport
import Testing

/// A PostgreSQL server that a test creates, stops and kills. `Tests/RealServers/postgres-cluster` creates it.
final class PostgresCluster: Sendable {
    /// The script; `nil` unless `.ci/real-servers postgres` has installed PostgreSQL.
    static let script = ProcessInfo.processInfo.environment["SALLYPORT_POSTGRES_CLUSTER"]

    let port: Int
    private let directory: URL
    private let authority: URL

    private init(in directory: URL, port: Int, authority: URL) {
        self.directory = directory
        self.port = port
        self.authority = authority
    }

    /// Runs a closure with a server that has started.
    static func run<Result: Sendable>(_ body: (PostgresCluster) async throws -> Result) async throws -> Result {
        try await withTemporaryDirectory { parent in
            let directory = parent.appendingPathComponent("primary")
            let port = try unusedPort()
            try await command("create", directory.path, "127.0.0.1", "\(port)")
            let authority = directory.appendingPathComponent("ca.pem")
            let cluster = PostgresCluster(in: directory, port: port, authority: authority)
            return try await cluster.running(body)
        }
    }

    /// Runs a closure with a replica of this server that has received all its data, and confirms each commit.
    func withReplica<Result: Sendable>(_ body: (PostgresCluster) async throws -> Result) async throws -> Result {
        try await withTemporaryDirectory { parent in
            let directory = parent.appendingPathComponent("replica")
            let port = try unusedPort()
            try await Self.command("replicate", self.directory.path, directory.path, "\(port)")
            let replica = PostgresCluster(in: directory, port: port, authority: authority)
            return try await replica.running { replica in
                try await waitUntil("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", is: "1")
                try await query("ALTER SYSTEM SET synchronous_standby_names = '*'")
                try await query("SELECT pg_reload_conf()")
                try await waitUntil("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", is: "1")
                return try await body(replica)
            }
        }
    }

    private func running<Result: Sendable>(
        _ body: (PostgresCluster) async throws -> Result
    ) async throws -> Result {
        try await control("start")
        do {
            let result = try await body(self)
            try await stop("immediate")
            return result
        } catch {
            try? await stop("immediate")
            throw error
        }
    }

    /// Returns the URL of the database.
    ///
    /// - Parameters:
    ///   - replica: A second host.
    ///   - parameters: More parameters.
    func url(or replica: PostgresCluster? = nil, _ parameters: String = "") -> String {
        let hosts = ([self] + (replica.map { [$0] } ?? [])).map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return
            "postgres://sallyport:wonderland@\(hosts)/sallyport?sslmode=verify-full&sslrootcert=\(authority.path)\(parameters)"
    }

    // MARK: Control

    func start() async throws { try await control("start") }

    /// Stops the server: `fast` ends all connections, `immediate` does not write the data to the disk first. Has no effect if it
    /// has stopped.
    func stop(_ mode: String) async throws {
        guard let postmaster else { return }
        kill(postmaster, SIGCONT)
        try await control("stop", "-m", mode)
    }

    /// Makes a replica accept writes.
    func promote() async throws { try await control("promote") }

    /// Stops the process that accepts connections, with SIGSTOP, or lets it continue. Those that serve connections go on.
    func signalPostmaster(_ signal: Int32) throws {
        let postmaster = try #require(postmaster)
        try #require(kill(postmaster, signal) == 0)
    }

    /// Kills the processes that serve connections, and waits until the server has ended all others and recovered from its log.
    func killBackends() async throws {
        let checkpointer = try await query(Self.checkpointer)
        let numbers = try await query(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        let backends = numbers.split(separator: "\n").compactMap { pid_t($0) }
        try #require(!backends.isEmpty)
        for backend in backends { kill(backend, SIGKILL) }
        try await wait("the server to recover") { [self] in
            let current = try? await query(Self.checkpointer)
            return current != nil && current != checkpointer
        }
    }

    /// The number of a process that is replaced when the server recovers.
    private static let checkpointer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"

    /// Runs a statement as superuser, and returns its result.
    @discardableResult
    func query(_ statement: String) async throws -> String {
        try await Self.command("query", directory.path, statement)
    }

    /// Waits until a query has a result.
    private func waitUntil(_ statement: String, is result: String) async throws {
        try await wait("\(statement) to be \(result)") { [self] in try await query(statement) == result }
    }

    private func wait(_ what: String, until isMet: @escaping @Sendable () async throws -> Bool) async throws {
        try await withDeadline(.patience, what) {
            while try await !isMet() { try Task.checkCancellation() }
        }
    }

    private var postmaster: pid_t? {
        let file = directory.appendingPathComponent("data/postmaster.pid")
        return (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    private func control(_ arguments: String...) async throws {
        try await Self.command(["control", directory.path] + arguments)
    }

    private struct CommandFailure: Error, CustomStringConvertible {
        let description: String
    }

    @discardableResult
    private static func command(_ arguments: String...) async throws -> String { try await command(arguments) }

    /// Runs the script, and returns its output.
    @discardableResult
    private static func command(_ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(script))
        process.arguments = arguments
        // The server outlives the script and must not keep a pipe open, so the output is a file.
        return try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("output")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            process.standardOutput = handle
            process.standardError = handle
            process.standardInput = FileHandle.nullDevice
            try process.start()
            await runBlocking { process.waitUntilExit() }
            try handle.close()
            let output = try String(contentsOf: file, encoding: .utf8)
            // An expectation would fail also where the error is caught.
            guard process.terminationStatus == 0 else { throw CommandFailure(description: "\(arguments): \(output)") }
            return output.trimmingCharacters(in: .newlines)
        }
    }
}
#endif
