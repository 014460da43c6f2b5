import SallyportService

extension Result where Failure == NetworkServiceError {
    /// Creates the result of a call.
    init(of call: () async throws(NetworkServiceError) -> Success) async {
        do throws(NetworkServiceError) {
            self = .success(try await call())
        } catch {
            self = .failure(error)
        }
    }
}

/// Makes a call in a new task, and passes its result to a closure on the main actor.
///
/// - Returns: The task. Cancel it to cancel the call.
@discardableResult
func start<Value: Sendable>(
    _ call: @escaping @Sendable () async throws(NetworkServiceError) -> Value,
    completion: @escaping @MainActor (Result<Value, NetworkServiceError>) -> Void
) -> Task<Void, Never> {
    Task {
        let result = await Result(of: call)
        await completion(result)
    }
}
