/// Waits until the task is cancelled.
func waitForCancellation() async throws {
    for await _ in AsyncStream(Never.self, { _ in }) {}
    throw CancellationError()
}
