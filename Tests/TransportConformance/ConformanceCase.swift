import SallyportTransport
import TestSupport
import Testing

/// A requirement for every transport, tested with a scripted server.
///
/// ```swift
/// @Test(arguments: ConformanceCase.all)
/// func `URLSession meets the requirements for transports`(_ conformance: ConformanceCase) async throws {
///     try await conformance.run { URLSessionTransport(configuration: $0) }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// The requirement as a sentence, which is unique.
    public let name: String

    /// The name.
    public var testDescription: String { name }

    private let scope: ConformanceScope
    private let body: @Sendable (ConformanceContext) async throws -> Void

    init(
        _ name: String,
        _ scope: ConformanceScope = .anyVersion,
        _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
    ) {
        self.name = name
        self.scope = scope
        self.body = body
    }

    /// Runs the case. It records failed expectations, and throws unexpected errors.
    ///
    /// - Parameters:
    ///   - wire: The protocol of the server. The configurations restrict the transport to it.
    ///   - limit: The maximum duration of the case.
    ///   - makeTransport: Creates a transport from a configuration. The case closes it.
    public func run(
        over wire: ConformanceWire = .http1,
        within limit: Duration = .seconds(90),
        _ makeTransport: @escaping @Sendable (TransportConfiguration) -> any Transport
    ) async throws {
        let context = ConformanceContext(wire: wire, makeTransport: makeTransport)
        try await withDeadline(limit, "the case to end") { try await body(context) }
    }

    /// The cases that apply to HTTP/1.1, which are almost all.
    public static let all: [ConformanceCase] = all(over: .http1)

    /// Returns the cases that apply to a protocol.
    public static func all(over wire: ConformanceWire) -> [ConformanceCase] {
        every.filter { $0.scope.includes(wire) }
    }

    private static let every: [ConformanceCase] =
        methods + targets + framing + endings + headers + bodiesOut + brokenBodiesOut + early + bodiesIn + decoding
        + informational + trailers + failures + invalidResponses + limits + invalidRequests + timeouts + cancellation
        + closing + reuse + replay + connections + backPressure + certificates + handshakes + adversaries
}

/// The protocol of a conformance case's server.
public enum ConformanceWire: Sendable, CaseIterable {
    /// HTTP/1.1, with TLS if the case requires it.
    case http1
    /// HTTP/2 over TLS, selected by ALPN.
    case http2
    /// HTTP/2 in cleartext, with prior knowledge.
    case http2Cleartext
}

/// The protocols to which a case applies.
struct ConformanceScope: Sendable {
    private let wires: Set<ConformanceWire>

    func includes(_ wire: ConformanceWire) -> Bool { wires.contains(wire) }

    static let anyVersion = ConformanceScope(wires: Set(ConformanceWire.allCases))

    /// HTTP/1.1 only, with the reason.
    static func http1Only(_ reason: StaticString) -> ConformanceScope { ConformanceScope(wires: [.http1]) }

    /// Both versions, over TLS.
    static let overTLS = ConformanceScope(wires: [.http1, .http2])

    static let http2Only = ConformanceScope(wires: [.http2, .http2Cleartext])
}
