import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import SallyportTransport

/// A clock that advances immediately when something sleeps, and records each sleep.
package final class ManualTime: Sendable {
    private let state = Locked<(passed: Duration, sleeps: [Duration])>((.zero, []))
    private let date: Date
    private let beforeWaking: @Sendable () async -> Void

    package init(
        date: Date = Date(timeIntervalSince1970: 784_111_777),
        beforeWaking: @escaping @Sendable () async -> Void = {}
    ) {
        self.date = date
        self.beforeWaking = beforeWaking
    }

    package var sleeps: [Duration] { state.withLock { $0.sleeps } }

    package var retryTime: TimeSource {
        TimeSource(
            now: { self.state.withLock { $0.passed } },
            date: { self.date },
            sleep: { delay in
                self.state.withLock { state in
                    state.passed += delay
                    state.sleeps.append(delay)
                }
                await self.beforeWaking()
                try Task.checkCancellation()
            }
        )
    }
}

/// Returns a mock transport that returns the responses in order and repeats the last one.
package func sequence(_ answers: MockResponse...) -> MockTransport {
    let left = Locked(answers)
    return MockTransport { _ in
        left.withLock { left in left.count > 1 ? left.removeFirst() : left[0] }
    }
}

/// Returns the error of a call, or `nil` if it succeeds.
package func failure(_ call: () async throws(NetworkError) -> HttpResponse) async -> NetworkError? {
    do throws(NetworkError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}
