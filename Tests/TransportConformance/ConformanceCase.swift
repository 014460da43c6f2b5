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

    private let body: @Sendable (ConformanceContext) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ConformanceContext) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Tries the case, recording what is not as it should be, and throwing what was not expected at all.
    ///
    /// - Parameters:
    ///   - limit: How long the case may take.
    ///   - makeTransport: Makes a transport of a configuration. The case closes it.
    public func run(
        within limit: Duration = .seconds(40),
        _ makeTransport: @escaping @Sendable (TransportConfiguration) -> any Transport
    ) async throws {
        let context = ConformanceContext(makeTransport: makeTransport)
        try await withDeadline(limit, "the case to end") { try await body(context) }
    }

    /// Every case there is.
    public static let all: [ConformanceCase] =
        methods + targets + framing + endings + headers + bodiesOut + brokenBodiesOut + early + bodiesIn + decoding
        + informational + trailers + failures + invalidResponses + limits + invalidRequests + timeouts + cancellation
        + closing + reuse + replay + connections + backPressure + certificates + handshakes + adversaries
}
