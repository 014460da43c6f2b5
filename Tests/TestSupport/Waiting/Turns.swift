/// Lets a few go at a time, in the order in which they came.
public actor Turns {
    private var left: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: How many may go at a time.
    public init(_ count: Int) {
        left = count
    }

    /// Waits for a turn, and holds it while a closure runs.
    public nonisolated func perform<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        await take()
        do {
            let result = try await work()
            await giveBack()
            return result
        } catch {
            await giveBack()
            throw error
        }
    }

    private func take() async {
        if left > 0 {
            left -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func giveBack() {
        if waiting.isEmpty { left += 1 } else { waiting.removeFirst().resume() }
    }
}
