import SallyportResource

/// The result of a call that is passed to a completion closure.
struct Completion: Sendable {
    typealias Result = (response: ResourceResponse?, error: ResourceError?)

    private let results: AsyncStream<Result>
    private let continuation: AsyncStream<Result>.Continuation

    init() {
        (results, continuation) = AsyncStream.makeStream(of: Result.self)
    }

    /// The completion closure.
    var handler: @MainActor (ResourceResponse?, ResourceError?) -> Void {
        { [continuation] response, error in
            MainActor.assertIsolated()
            continuation.yield((response, error))
        }
    }

    /// Waits for the first result.
    func result() async -> Result { await results.first { _ in true } ?? (nil, nil) }

    /// Returns the results so far, after which no others are received.
    func all() async -> [Result] {
        continuation.finish()
        return await results.reduce(into: []) { $0.append($1) }
    }
}

extension NetworkTask {
    /// Waits until the task has a state.
    func wait(for state: State) async {
        for await current in states where current == state { break }
    }
}
