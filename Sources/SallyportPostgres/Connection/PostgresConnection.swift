#if PostgreSQL && os(Linux)

import CPostgres
import Dispatch
import Foundation
import SallyportOAuth
import SallyportStorage

/// A connection to a PostgreSQL server, used by one task at a time.
///
/// libpq is used in its non-blocking mode, so that each wait has a deadline and ends when the task is cancelled. The waits block a
/// thread outside of the cooperative pool. After a failure that leaves the state of the server unknown, the connection is no
/// longer used.
///
/// `@unchecked Sendable` because of libpq's pointer: the pool gives the connection to one task at a time, which waits for
/// each call.
final class PostgresConnection: @unchecked Sendable {
    /// A value of a statement. Values are never part of the text of a statement.
    enum Value: Sendable {
        case text(String)
        case bytes(Data)

        fileprivate var bytes: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .bytes(let data): Array(data)
            }
        }

        /// The type's number in the system catalog.
        fileprivate var type: Oid {
            switch self {
            case .text: 25
            case .bytes: 17
            }
        }
    }

    /// A row of a result, with the binary form of each column; `nil` for NULL.
    typealias Row = [Data?]

    private let handle: OpaquePointer
    private let secrets: [String]
    private let usable = Locked(true)

    /// - Parameter handle: An established connection, which is closed with this object.
    private init(_ handle: OpaquePointer, secrets: [String]) {
        self.handle = handle
        self.secrets = secrets
    }

    deinit { PQfinish(handle) }

    /// Connects to one host.
    ///
    /// - Parameters:
    ///   - settings: libpq's parameters by their names.
    ///   - secrets: Texts that no error may contain.
    ///   - limit: The maximum time, not including the resolution of the name, which has the limits of the system's resolver.
    ///   - isCancellable: `false` to connect even in a task that has been cancelled.
    static func open(
        _ settings: [String: String],
        secrets: [String],
        within limit: Duration,
        isCancellable: Bool
    ) async throws(PostgresFailure) -> PostgresConnection {
        try await blocking(isCancellable: isCancellable) { isCancelled throws(PostgresFailure) in
            let settings = settings.sorted { $0.key < $1.key }
            let started = withCStrings(settings.map { Array($0.key.utf8) }) { keywords in
                withCStrings(settings.map { Array($0.value.utf8) }) { PQconnectStartParams(keywords, $0, 0) }
            }
            guard let handle = started else { throw .lost("there is no memory for a connection") }
            let connection = PostgresConnection(handle, secrets: secrets)
            guard PQstatus(handle) != CONNECTION_BAD else { throw connection.connectFailure() }
            // The verbose format contains the code of an error.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            // By default, libpq prints notices.
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            let deadline = Deadline(limit)
            var status = PGRES_POLLING_WRITING
            while status != PGRES_POLLING_OK {
                guard status != PGRES_POLLING_FAILED else { throw connection.connectFailure() }
                try connection.wait(for: status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline, isCancelled)
                status = PQconnectPoll(handle)
            }
            guard PQsetnonblocking(handle, 1) == 0 else { throw connection.lost() }
            return connection
        }
    }

    /// A Boolean value that indicates whether the connection can be used, as far as is known without sending anything.
    var isUsable: Bool {
        guard usable.withLock({ $0 }), PQstatus(handle) == CONNECTION_OK else { return false }
        // Between statements, the server sends something only before it closes the connection, or to report a changed setting.
        var request = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return retryingOnEINTR { poll(&request, 1, 0) } == 0
    }

    /// A Boolean value that indicates whether the connection can be used by another task: it is usable, and in no transaction.
    var isIdle: Bool { isUsable && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// A Boolean value that indicates whether statements can be run in the current transaction.
    var isInTransaction: Bool { isUsable && PQtransactionStatus(handle) == PQTRANS_INTRANS }

    /// A Boolean value that indicates whether a transaction has failed and waits for its rollback.
    var isInFailedTransaction: Bool { isUsable && PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// A Boolean value that indicates whether the server is a replica or accepts no writes by default.
    var isReadOnly: Bool {
        let names: [String] = ["in_hot_standby", "default_transaction_read_only"]
        return names.contains { name in PQparameterStatus(handle, name).map { String(cString: $0) } == "on" }
    }

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - statement: A constant text. Without values it may consist of several statements.
    ///   - values: The values of `$1`, `$2` and so on.
    ///   - limit: The maximum time, after which the statement is cancelled and the connection is no longer used.
    ///   - isCancellable: `false` to complete the statement even in a task that has been cancelled.
    /// - Returns: The rows of the last statement.
    @discardableResult
    func run(
        _ statement: String,
        _ values: [Value] = [],
        within limit: Duration,
        isCancellable: Bool = true
    ) async throws(PostgresFailure) -> [Row] {
        try await Self.blocking(isCancellable: isCancellable) { [self] isCancelled throws(PostgresFailure) in
            do throws(PostgresFailure) {
                let deadline = Deadline(limit)
                try send(statement, values, deadline, isCancelled)
                return try receive(deadline, isCancelled)
            } catch {
                if error.endsConnection { usable.withLock { $0 = false } }
                switch error {
                case .cancelled, .timedOut: cancelStatement()
                default: break
                }
                throw error
            }
        }
    }

    private static func blocking<Value: Sendable>(
        isCancellable: Bool,
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        if isCancellable { return try await runBlocking(work) }
        return try await runBlocking { () throws(PostgresFailure) in try work { false } }
    }

    private func send(
        _ statement: String,
        _ values: [Value],
        _ deadline: Deadline,
        _ isCancelled: () -> Bool
    ) throws(PostgresFailure) {
        let isSent: Int32
        if values.isEmpty {
            isSent = PQsendQuery(handle, statement)
        } else {
            let bytes = values.map(\.bytes)
            isSent = withCStrings(bytes) { pointers in
                PQsendQueryParams(
                    handle,
                    statement,
                    Int32(values.count),
                    values.map(\.type),
                    pointers,
                    bytes.map { Int32($0.count) },
                    Array(repeating: 1, count: values.count),
                    1
                )
            }
        }
        guard isSent == 1 else { throw lost() }
        while true {
            let rest = PQflush(handle)
            if rest == 0 { return }
            guard rest == 1 else { throw lost() }
            try wait(for: POLLIN | POLLOUT, deadline, isCancelled)
            // The server may wait for its messages to be read before it reads more.
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func receive(_ deadline: Deadline, _ isCancelled: () -> Bool) throws(PostgresFailure) -> [Row] {
        var rows: [Row] = []
        var failure: PostgresFailure?
        while true {
            while PQisBusy(handle) != 0 {
                try wait(for: POLLIN, deadline, isCancelled)
                guard PQconsumeInput(handle) == 1 else { throw failure ?? lost() }
            }
            guard let result = PQgetResult(handle) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows = Self.rows(of: result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: rows = []
            default: if failure == nil { failure = serverFailure(result) }
            }
        }
        if let failure { throw failure }
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        return rows
    }

    private static func rows(of result: OpaquePointer) -> [Row] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                    return nil
                }
                return Data(bytes: value, count: Int(PQgetlength(result, row, column)))
            }
        }
    }

    /// Returns the failure of a result. Only the primary message is used: others may contain values.
    private func serverFailure(_ result: OpaquePointer) -> PostgresFailure {
        func field(_ name: Character) -> String? {
            name.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
        }
        // A lost connection is reported as a result without a code.
        guard let code = field("C") else { return lost() }
        return .server(code: code, message: SanitizedText.make(from: field("M") ?? "", removing: secrets))
    }

    /// Waits until the socket is ready.
    private func wait(
        for events: Int32,
        _ deadline: Deadline,
        _ isCancelled: () -> Bool
    ) throws(PostgresFailure) {
        while true {
            if isCancelled() { throw .cancelled }
            let rest = deadline.rest
            guard rest > .zero else { throw .timedOut(deadline.limit) }
            var request = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            // A cancelled task is noticed after this time at the latest.
            let slice = min(rest, .milliseconds(50))
            if retryingOnEINTR({ poll(&request, 1, max(1, Int32(slice / .milliseconds(1)))) }) != 0 { return }
        }
    }

    /// Asks the server to end the running statement, so that it does not wait for a lock any longer.
    ///
    /// libpq opens another connection for this and waits until the server closes it, so it has its own thread; there are at most as
    /// many as connections were open. The request has no TLS in libpq 15; it contains a code that is useful only to cancel
    /// statements of this connection, which is not used any more.
    private func cancelStatement() {
        guard let cancellation = PQgetCancel(handle) else { return }
        let address = UInt(bitPattern: cancellation)
        DispatchQueue(label: "sallyport.postgres.cancel").async {
            let cancellation = OpaquePointer(bitPattern: address)
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(cancellation, &message, Int32(message.count))
            PQfreeCancel(cancellation)
        }
    }

    private func connectFailure() -> PostgresFailure {
        .connecting(PQerrorMessage(handle).map { String(cString: $0) } ?? "", secrets: secrets)
    }

    private func lost() -> PostgresFailure {
        usable.withLock { $0 = false }
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? "it was closed"
        return .lost(SanitizedText.make(from: line, removing: secrets))
    }
}

/// The end of a wait.
private struct Deadline {
    let limit: Duration
    private let end: ContinuousClock.Instant

    init(_ limit: Duration) {
        self.limit = limit
        end = .now + limit
    }

    /// The time until the end, negative after it.
    var rest: Duration { end - .now }
}

/// Calls a closure with copies of texts for a function in C, each followed by a zero, and the end of the list.
private func withCStrings<Result>(_ texts: [[UInt8]], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = texts.map { text in
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        for (index, byte) in text.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[text.count] = 0
        return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    return body(copies.map { UnsafePointer($0) } + [nil])
}

#endif
