import Foundation
import SallyportStorage
import SallyportTesting

@testable import Sallyport

/// A time that passes only when something sleeps, at once; it remembers each sleep.
final class ManualTime: Sendable {
    private let state = Locked<(passed: Duration, sleeps: [Duration])>((.zero, []))
    private let date: Date
    private let beforeWaking: @Sendable () async -> Void

    init(date: Date = Date(timeIntervalSince1970: 784_111_777), beforeWaking: @escaping @Sendable () async -> Void = {})
    {
        self.date = date
        self.beforeWaking = beforeWaking
    }

    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    var retryTime: TimeSource {
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

/// A mock that gives its answers in order, the last one again and again.
func sequence(_ answers: MockResponse...) -> MockTransport {
    let left = Locked(answers)
    return MockTransport { _ in
        left.withLock { left in left.count > 1 ? left.removeFirst() : left[0] }
    }
}

/// A generator of chance that always gives the same numbers.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The failure of a call that must fail.
func failure(_ call: () async throws(NetworkError) -> HttpResponse) async -> NetworkError? {
    do throws(NetworkError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}
