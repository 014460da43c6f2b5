import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct PoolStateTests {
    typealias Member = PoolMember
    typealias Pool = PoolState<String, PoolMember, Int>

    /// Returns actions as text that can be compared.
    private func words(_ actions: [Pool.Action], naming members: [Member] = []) -> [String] {
        actions.map { action in
            switch action {
            case .run(let waiter, let member): "run \(waiter) on \(members.firstIndex { $0 === member } ?? -1)"
            case .open(let key, let waiter): "open \(key) for \(waiter)"
            case .close(let member): "close \(members.firstIndex { $0 === member } ?? -1)"
            }
        }
    }

    @Test
    func `The first exchange opens a connection and runs on it`() {
        var pool = Pool(perHost: 2, total: 4)
        let member = Member()
        #expect(words(pool.submitted(1, to: "a")) == ["open a for 1"])
        #expect(words(pool.opened(member, to: "a"), naming: [member]) == ["run 1 on 0"])
        #expect(pool.count == 1)
    }

    @Test
    func `An exchange is counted while it runs on a connection, also if the connection closes`() {
        var pool = Pool(perHost: 2, total: 4)
        let members = [Member(), Member()]
        for waiter in 1...3 { _ = pool.submitted(waiter, to: "a") }
        #expect(pool.running == 0)
        for member in members { _ = pool.opened(member, to: "a") }
        #expect(pool.running == 2)
        _ = pool.freed(members[0].entry)
        #expect(pool.running == 2, "The third exchange runs in place of the first")
        _ = pool.freed(members[0].entry)
        #expect(pool.running == 1)
        _ = pool.submitted(4, to: "a")
        _ = pool.closed(members[1].entry)
        #expect(pool.running == 1)
        _ = pool.closed(members[0].entry)
        #expect(pool.running == 0)
    }

    @Test
    func `The most recently used idle connection is used before a new one is opened`() {
        var pool = Pool(perHost: 2, total: 4)
        let members = [Member(), Member()]
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "a")
        _ = pool.opened(members[0], to: "a")
        _ = pool.opened(members[1], to: "a")
        _ = pool.freed(members[0].entry)
        _ = pool.freed(members[1].entry)
        #expect(words(pool.submitted(3, to: "a"), naming: members) == ["run 3 on 1"])
    }

    @Test
    func `Idle connections are used in most-recently-used order, also after some have closed`() {
        var pool = Pool(perHost: 100, total: 100)
        let members = (0..<100).map { _ in Member() }
        for waiter in 0..<100 { _ = pool.submitted(waiter, to: "a") }
        for member in members { _ = pool.opened(member, to: "a") }
        for member in members { _ = pool.freed(member.entry) }
        for (index, member) in members.enumerated() where index % 3 != 0 { _ = pool.closed(member.entry) }
        let taken = (0..<34).flatMap { words(pool.submitted($0, to: "a"), naming: members) }
        #expect(taken == (0..<34).map { "run \($0) on \(99 - 3 * $0)" })
        #expect(words(pool.submitted(34, to: "a")) == ["open a for 34"])
    }

    @Test
    func `Exchanges beyond the host's limit wait and run in order`() {
        var pool = Pool(perHost: 1, total: 4)
        let member = Member()
        _ = pool.submitted(1, to: "a")
        #expect(pool.submitted(2, to: "a").isEmpty)
        #expect(pool.submitted(3, to: "a").isEmpty)
        #expect(words(pool.opened(member, to: "a"), naming: [member]) == ["run 1 on 0"])
        #expect(words(pool.freed(member.entry), naming: [member]) == ["run 2 on 0"])
        #expect(words(pool.freed(member.entry), naming: [member]) == ["run 3 on 0"])
        #expect(pool.freed(member.entry).isEmpty)
    }

    @Test
    func `At the total limit an idle connection of another host is closed`() {
        var pool = Pool(perHost: 2, total: 1)
        let members = [Member(), Member()]
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a")
        _ = pool.freed(members[0].entry)
        #expect(words(pool.submitted(2, to: "b"), naming: members) == ["close 0"])
        #expect(words(pool.closed(members[0].entry), naming: members) == ["open b for 2"])
        #expect(words(pool.opened(members[1], to: "b"), naming: members) == ["run 2 on 1"])
        #expect(pool.count == 1)
    }

    @Test
    func `At the total limit the hosts take turns`() {
        var pool = Pool(perHost: 8, total: 1)
        let members = (0..<4).map { _ in Member() }
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "b")
        _ = pool.submitted(3, to: "c")
        _ = pool.opened(members[0], to: "a")
        #expect(words(pool.freed(members[0].entry), naming: members) == ["close 0"])
        #expect(words(pool.closed(members[0].entry)) == ["open b for 2"])
        _ = pool.opened(members[1], to: "b")
        #expect(words(pool.freed(members[1].entry), naming: members) == ["close 1"])
        #expect(words(pool.closed(members[1].entry)) == ["open c for 3"])
    }

    @Test
    func `A failed connection attempt fails the exchange that started it, and no other`() {
        var pool = Pool(perHost: 2, total: 4)
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "a")
        let first = pool.openingFailed(to: "a") { $0 == 1 }
        #expect(first.failed == 1)
        let second = pool.openingFailed(to: "a") { $0 == 2 }
        #expect(second.failed == 2)
        #expect(pool.isEmpty)
    }

    @Test
    func `A failed attempt starts the next one if the limit allows fewer attempts than exchanges`() {
        var pool = Pool(perHost: 1, total: 4)
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "a")
        let outcome = pool.openingFailed(to: "a") { $0 == 1 }
        #expect(outcome.failed == 1)
        #expect(words(outcome.actions) == ["open a for 2"])
    }

    @Test
    func `A connection that is no longer waited for is kept open`() {
        var pool = Pool(perHost: 2, total: 4)
        let members = [Member(), Member()]
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a")
        _ = pool.submitted(2, to: "a")
        _ = pool.freed(members[0].entry)
        #expect(pool.opened(members[1], to: "a").isEmpty)
        #expect(pool.count == 2)
    }

    @Test
    func `An exchange on a dead connection gets a new one, and the host's idle connections are closed`() {
        var pool = Pool(perHost: 2, total: 4)
        let members = [Member(), Member()]
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "a")
        _ = pool.opened(members[0], to: "a")
        _ = pool.opened(members[1], to: "a")
        _ = pool.freed(members[1].entry)
        _ = pool.closed(members[0].entry)
        #expect(words(pool.submittedAgain(1, to: "a"), naming: members) == ["close 1", "open a for 1"])
    }

    @Test
    func `While draining, a connection is closed when no exchange waits for it`() {
        var pool = Pool(perHost: 1, total: 4)
        let member = Member()
        _ = pool.submitted(1, to: "a")
        _ = pool.submitted(2, to: "a")
        _ = pool.opened(member, to: "a")
        #expect(pool.drain().isEmpty)
        #expect(words(pool.freed(member.entry), naming: [member]) == ["run 2 on 0"])
        #expect(words(pool.freed(member.entry), naming: [member]) == ["close 0"])
        _ = pool.closed(member.entry)
        #expect(pool.isEmpty)
    }

    @Test
    func `A connection on the caller's event loop is preferred among the most recently used`() {
        final class EventLoop {}
        let loops = [EventLoop(), EventLoop()]
        var pool = Pool(perHost: 20, total: 20)
        let members = (0..<12).map { Member(on: loops[$0 == 0 || $0 == 6 ? 0 : 1]) }
        for waiter in 0..<12 { _ = pool.submitted(waiter, to: "a") }
        for member in members { _ = pool.opened(member, to: "a") }
        for member in members { _ = pool.freed(member.entry) }
        let taken = (0..<3).flatMap { words(pool.submitted($0, to: "a", on: loops[0]), naming: members) }
        #expect(taken == ["run 0 on 6", "run 1 on 11", "run 2 on 10"])
    }

    @Test
    func `Events of a connection that has closed do not affect the host that took its place`() {
        var pool = Pool(perHost: 1, total: 4)
        let members = [Member(), Member()]
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a")
        _ = pool.closed(members[0].entry)
        _ = pool.submitted(2, to: "b")
        _ = pool.opened(members[1], to: "b")
        #expect(pool.submitted(3, to: "b").isEmpty)
        #expect(pool.freed(members[0].entry).isEmpty)
        #expect(pool.resized(members[0].entry, capacity: 2).isEmpty)
        #expect(pool.retired(members[0].entry).isEmpty)
        #expect(pool.closed(members[0].entry).isEmpty)
        let mayClose = pool.takeIdle(members[0].entry)
        #expect(!mayClose)
        #expect(pool.count == 1)
        #expect(words(pool.freed(members[1].entry), naming: members) == ["run 3 on 1"])
    }

    @Test
    func `A host whose connections have closed is found again beside one that took its place`() {
        var pool = Pool(perHost: 1, total: 4)
        let members = (0..<3).map { _ in Member() }
        for (member, key) in zip(members, ["a", "b", "a"]) {
            #expect(words(pool.submitted(1, to: key)) == ["open \(key) for 1"])
            _ = pool.opened(member, to: key)
            if member === members[0] { _ = pool.closed(member.entry) } else { _ = pool.freed(member.entry) }
        }
        #expect(words(pool.submitted(2, to: "b"), naming: members) == ["run 2 on 1"])
        #expect(words(pool.submitted(3, to: "a"), naming: members) == ["run 3 on 2"])
    }

    @Test(arguments: 0..<200)
    func `Random event orders lose no capacity and leave no exchange waiting`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pool = Pool(perHost: 2, total: 3)
        var opening: [String] = []
        var busy: [(member: Member, key: String)] = []
        var idle: [(member: Member, key: String)] = []
        var closing: [(member: Member, key: String)] = []
        var submitted = 0
        var served = 0

        func perform(_ actions: [Pool.Action], of key: String) {
            for action in actions {
                switch action {
                case .run(_, let member):
                    served += 1
                    if let index = idle.firstIndex(where: { $0.member === member }) {
                        busy.append(idle.remove(at: index))
                    } else if !busy.contains(where: { $0.member === member }) {
                        busy.append((member, key))
                    }
                case .open(let key, _): opening.append(key)
                case .close(let member):
                    if let index = idle.firstIndex(where: { $0.member === member }) {
                        closing.append(idle.remove(at: index))
                    }
                    if let index = busy.firstIndex(where: { $0.member === member }) {
                        closing.append(busy.remove(at: index))
                    }
                }
            }
        }

        func step(submitting: Bool) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where submitting:
                submitted += 1
                let key = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
                perform(pool.submitted(submitted, to: key), of: key)
            case 1 where !opening.isEmpty:
                let key = opening.remove(at: Int.random(in: 0..<opening.count, using: &random))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let outcome = pool.openingFailed(to: key) { _ in true }
                    if outcome.failed != nil { served += 1 }
                    perform(outcome.actions, of: key)
                } else {
                    let member = Member()
                    let actions = pool.opened(member, to: key)
                    if actions.isEmpty { idle.append((member, key)) }
                    if case .close? = actions.first { closing.append((member, key)) }
                    perform(actions, of: key)
                }
            case 2 where !busy.isEmpty:
                let (member, key) = busy.remove(at: Int.random(in: 0..<busy.count, using: &random))
                idle.append((member, key))
                perform(pool.freed(member.entry), of: key)
            case 3 where !closing.isEmpty:
                let (member, key) = closing.removeFirst()
                perform(pool.closed(member.entry), of: key)
            default:
                break
            }
            #expect(pool.count <= 3)
            #expect(pool.count == opening.count + busy.count + idle.count + closing.count)
        }

        for _ in 0..<200 { step(submitting: true) }
        for _ in 0..<2_000 { step(submitting: false) }
        #expect(served == submitted)
    }
}
