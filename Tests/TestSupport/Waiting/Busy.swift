import Testing

/// Marks tests that keep a processor busy for seconds: one of them runs at a time, so that those beside it, which have
/// deadlines, are not kept from running.
public struct Busy: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await BusyTurns.shared.take()
        do {
            try await function()
        } catch {
            await BusyTurns.shared.giveBack()
            throw error
        }
        await BusyTurns.shared.giveBack()
    }
}

extension Trait where Self == Busy {
    /// See ``Busy``.
    public static var busy: Busy { Busy() }
}

/// Lets one go at a time, in the order in which they came.
private actor BusyTurns {
    static let shared = BusyTurns()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
