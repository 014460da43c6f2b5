import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct AttemptLimitTests {
    private let start = Date(timeIntervalSince1970: 0)

    @Test func `Attempts with unknown names do not reset the count of a user`() {
        var limit = AttemptLimit(limit: 10, period: 300, users: ["alice", "bob"])
        for _ in 0..<10 { limit.count("alice", now: start) }
        for number in 0..<20_000 { limit.count("nobody \(number)", now: start) }
        #expect(limit.isReached(by: "alice", now: start + 299))
        #expect(!limit.isReached(by: "bob", now: start + 299))
        #expect(!limit.isReached(by: "alice", now: start + 300))
    }

    @Test func `An unknown name is limited too, and a success resets the count`() {
        var limit = AttemptLimit(limit: 3, period: 300, users: ["alice"])
        for name in ["alice", "nobody"] {
            for _ in 0..<3 {
                #expect(!limit.isReached(by: name, now: start))
                limit.count(name, now: start)
            }
            #expect(limit.isReached(by: name, now: start))
        }
        limit.forget("alice")
        #expect(!limit.isReached(by: "alice", now: start))
    }
}
