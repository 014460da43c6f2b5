import Glibc
import Synchronization

/// Prints memory usage at intervals during long runs.
final class Watch: Sendable {
    private let calls = Atomic(0)

    func count() { calls.add(1, ordering: .relaxed) }

    func watching(every interval: Duration, _ work: (Watch) async throws -> Void) async throws {
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    try await Task.sleep(for: interval)
                    self.tell(after: ContinuousClock.now - began)
                }
            }
            try await work(self)
            tell(after: ContinuousClock.now - began)
            group.cancelAll()
        }
    }

    private func tell(after time: Duration) {
        let (calls, memory) = (calls.load(ordering: .relaxed), Double(Memory.resident.kib) / 1024)
        let line = "\(time.components.seconds) s: \(calls) calls, \(memory) MB\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
