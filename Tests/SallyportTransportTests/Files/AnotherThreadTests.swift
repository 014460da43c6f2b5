import Foundation
import TestSupport
import Testing

@testable import SallyportTransport

@Suite(.concurrencyLimited) struct AnotherThreadTests {
    @Test func `blocked work does not keep other work from beginning`() async throws {
        let count = 50
        let begun = DispatchGroup()
        for _ in 0..<count { begun.enter() }
        try await withDeadline(.seconds(30), "all of the work to begin") {
            try await withThrowingTaskGroup(of: DispatchTimeoutResult.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await onAnotherThread { () in
                            begun.leave()
                            return begun.wait(timeout: .now() + .seconds(20))
                        }
                    }
                }
                for try await result in group { #expect(result == .success) }
            }
        }
    }
}
