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

    @Test func `An unknown name is limited too, and a success resets only the count of a user`() {
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
        // The counter of an unknown name can be that of another one, too.
        limit.forget("nobody")
        #expect(limit.isReached(by: "nobody", now: start))
    }

    @Test func `The time for which attempts are refused begins when the limit is reached`() {
        var limit = AttemptLimit(limit: 2, period: 300, users: ["alice"])
        limit.count("alice", now: start)
        limit.count("alice", now: start + 299)
        #expect(limit.isReached(by: "alice", now: start + 598))
        #expect(!limit.isReached(by: "alice", now: start + 599))
    }
}
