import SallyportTransport
import TestSupport
import Testing

/// One thing that every transport must do, tried against a scripted server.
///
/// ```swift
/// @Test("URLSession does what a transport must", arguments: ConformanceCase.all)
/// func conforms(_ conformance: ConformanceCase) async throws {
///     try await conformance.run { URLSessionTransport(configuration: $0) }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// What must be so, in a sentence. No two cases have the same.
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

    /// Tries the case, recording what is not as it should be, and throwing what was not expected at all.
    ///
    /// - Parameters:
    ///   - wire: What the server speaks. The configurations allow the transport nothing else.
    ///   - limit: How long the case may take.
    ///   - makeTransport: Makes a transport of a configuration. The case closes it.
    public func run(
        over wire: ConformanceWire = .http1,
        within limit: Duration = .seconds(90),
        _ makeTransport: @escaping @Sendable (TransportConfiguration) -> any Transport
    ) async throws {
        let context = ConformanceContext(wire: wire, makeTransport: makeTransport)
        try await withDeadline(limit, "the case to end") { try await body(context) }
    }

    /// Every case that makes sense with HTTP/1.1, which is all but a few.
    public static let all: [ConformanceCase] = all(over: .http1)

    /// The cases that make sense for a server that speaks so.
    public static func all(over wire: ConformanceWire) -> [ConformanceCase] {
        every.filter { $0.scope.includes(wire) }
    }

    private static let every: [ConformanceCase] =
        methods + targets + framing + endings + headers + bodiesOut + brokenBodiesOut + early + bodiesIn + decoding
        + informational + trailers + failures + invalidResponses + limits + invalidRequests + timeouts + cancellation
        + closing + reuse + replay + connections + backPressure + certificates + handshakes + adversaries
}
