import Testing

/// Marks tests that keep a processor busy for seconds: one of them runs at a time, so that those beside it, which have
/// deadlines, are not kept from running.
public struct Busy: TestTrait, SuiteTrait, TestScoping {
    private static let turns = Turns(1)

    /// It holds for every test of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test when it is its turn.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.perform(function)
    }
}

extension Trait where Self == Busy {
    /// See ``Busy``.
    public static var busy: Busy { Busy() }
}
