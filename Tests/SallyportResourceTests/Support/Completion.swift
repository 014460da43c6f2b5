import SallyportResource
import TestSupport
import Testing

/// The results of a call that are passed to a completion closure.
struct Completion: Sendable {
    typealias Result = (response: ResourceResponse?, error: ResourceError?)

    private let results = Watched<[Result]>([])

    /// The completion closure.
    var handler: @MainActor (ResourceResponse?, ResourceError?) -> Void {
        { [results] response, error in
            MainActor.assertIsolated()
            results.update { $0.append((response, error)) }
        }
    }

    /// The results so far.
    var all: [Result] { results.value }

    /// Waits for the first result. An issue is recorded if there is none.
    func result(sourceLocation: SourceLocation = #_sourceLocation) async -> Result {
        do {
            try await results.wait("a result") { !$0.isEmpty }
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        return results.value.first ?? (nil, nil)
    }
}

extension NetworkTask {
    /// Waits until the task has a state. An issue is recorded if it ends in another one, or the wait exceeds its limit.
    func wait(for state: State, sourceLocation: SourceLocation = #_sourceLocation) async {
        do {
            let isReached = try await withDeadline(.patience, "the state \(state)") {
                await self.states.contains(state)
            }
            #expect(isReached, "the task ended in another state than \(state)", sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}
