import Crypto
import Foundation
import TestSupport
import Testing

@testable import SallyportGateway
@testable import SallyportResource

@Suite(.concurrencyLimited) struct PayloadSessionsTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func session(_ id: String) -> PayloadSession {
        PayloadSession(id: id, secret: SymmetricKey(size: .bits256), transcript: Data())
    }

    @Test func `Any number of new sessions does not displace one with a valid request`() {
        var sessions = PayloadSessions(pendingLimit: 4, confirmedLimit: 4)
        let end = start + 600
        sessions.add(session("used"), of: "a", until: end, now: start)
        #expect(sessions.accept(1, of: "used", now: start) == true)
        sessions.add(session("new"), of: "a", until: end, now: start)
        for number in 1...100 { sessions.add(session("\(number)"), of: "a", until: end, now: start) }
        #expect(sessions.session("used", now: start)?.id == "used")
        #expect(sessions.accept(1, of: "used", now: start) == false)
        #expect(sessions.accept(2, of: "used", now: start) == true)
        #expect(sessions.session("new", now: start) == nil)
        #expect(sessions.session("100", now: start)?.id == "100")
    }

    @Test func `Many sessions of one address do not displace those of others`() {
        var sessions = PayloadSessions(pendingLimit: 4, confirmedLimit: 4)
        let end = start + 600
        sessions.add(session("used"), of: "a", until: end, now: start)
        #expect(sessions.accept(1, of: "used", now: start) == true)
        sessions.add(session("new"), of: "a", until: end, now: start)
        for number in 1...20 {
            let id = "\(number)"
            sessions.add(session(id), of: "b", until: end, now: start)
            if number <= 10 { #expect(sessions.accept(1, of: id, now: start) == true) }
        }
        #expect(sessions.accept(2, of: "used", now: start) == true)
        #expect(sessions.accept(1, of: "new", now: start) == true)
        #expect(sessions.session("1", now: start) == nil)
    }

    @Test func `A session ends at its end, with and without a valid request`() {
        var sessions = PayloadSessions()
        for id in ["new", "used"] { sessions.add(session(id), of: "a", until: start + 600, now: start) }
        #expect(sessions.accept(1, of: "used", now: start + 599) == true)
        #expect(sessions.session("new", now: start + 599) != nil)
        for id in ["new", "used"] {
            #expect(sessions.session(id, now: start + 600) == nil)
            #expect(sessions.accept(2, of: id, now: start + 600) == nil)
        }
    }
}
