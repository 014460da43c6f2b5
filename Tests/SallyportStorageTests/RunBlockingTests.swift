import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct RunBlockingTests {
    @Test func `Blocked work does not prevent other work from starting`() async throws {
        let count = 50
        let begun = DispatchGroup()
        for _ in 0..<count { begun.enter() }
        try await withDeadline(.seconds(30), "all of the work to begin") {
            try await withThrowingTaskGroup(of: DispatchTimeoutResult.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await runBlocking { () in
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
