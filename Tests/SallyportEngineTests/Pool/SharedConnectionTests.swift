import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct SharedConnectionTests {
    typealias Member = PoolMember
    typealias Pool = PoolState<String, PoolMember, Int>

    private let members = (0..<4).map { _ in Member() }

    /// A pool in which the connections to "a…" are expected to be shared.
    private func pool(perHost: Int = 4, total: Int = 8) -> Pool {
        Pool(perHost: perHost, total: total) { $0.hasPrefix("a") }
    }

    private func words(_ actions: [Pool.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .run(let waiter, let member): "run \(waiter) on \(members.firstIndex { $0 === member } ?? -1)"
            case .open(let key, let waiter): "open \(key) for \(waiter)"
            case .close(let member): "close \(members.firstIndex { $0 === member } ?? -1)"
            }
        }
    }

    @Test
    func `One shared connection is opened for all waiting exchanges and runs them`() {
        var pool = pool()
        #expect(words(pool.submitted(1, to: "a")) == ["open a for 1"])
        for waiter in 2...50 { #expect(pool.submitted(waiter, to: "a").isEmpty) }
        let actions = pool.opened(members[0], to: "a", isShared: true, capacity: 100)
        #expect(words(actions) == (1...50).map { "run \($0) on 0" })
        #expect(words(pool.submitted(51, to: "a")) == ["run 51 on 0"])
        #expect(pool.count == 1)
    }

    @Test
    func `Exchanges beyond the capacity of a shared connection wait without opening another`() {
        var pool = pool()
        _ = pool.submitted(1, to: "a")
        for waiter in 2...4 { _ = pool.submitted(waiter, to: "a") }
        #expect(words(pool.opened(members[0], to: "a", isShared: true, capacity: 2)) == ["run 1 on 0", "run 2 on 0"])
        #expect(pool.submitted(5, to: "a").isEmpty)
        #expect(words(pool.freed(members[0].entry)) == ["run 3 on 0"])
        #expect(words(pool.resized(members[0].entry, capacity: 4)) == ["run 4 on 0", "run 5 on 0"])
    }

    @Test
    func `No other connection is opened beside a shared one with a capacity of one`() {
        var pool = pool()
        for waiter in 1...3 { _ = pool.submitted(waiter, to: "a") }
        #expect(words(pool.opened(members[0], to: "a", isShared: true)) == ["run 1 on 0"])
        #expect(pool.submitted(4, to: "a").isEmpty)
        #expect(words(pool.resized(members[0].entry, capacity: 3)) == ["run 2 on 0", "run 3 on 0"])
    }

    @Test
    func `If a connection turns out not to be shared, the other exchanges get their own`() {
        var pool = pool()
        for waiter in 1...3 { _ = pool.submitted(waiter, to: "a") }
        #expect(words(pool.opened(members[0], to: "a")) == ["run 1 on 0", "open a for 2", "open a for 3"])
        #expect(words(pool.submitted(4, to: "a")) == ["open a for 4"])
        #expect(pool.submitted(5, to: "a").isEmpty)
    }

    @Test
    func `A failed first attempt fails only its exchange, and each other one gets an attempt`() {
        var pool = pool()
        for waiter in 1...3 { _ = pool.submitted(waiter, to: "a") }
        let outcome = pool.openingFailed(to: "a") { $0 == 1 }
        #expect(outcome.failed == 1)
        #expect(words(outcome.actions) == ["open a for 2", "open a for 3"])
    }

    @Test
    func `If the capacity is reduced below its use, no exchange is assigned until enough is free`() {
        var pool = pool()
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a", isShared: true, capacity: 10)
        _ = pool.submitted(2, to: "a")
        _ = pool.submitted(3, to: "a")
        #expect(pool.resized(members[0].entry, capacity: 2).isEmpty)
        #expect(pool.submitted(4, to: "a").isEmpty)
        #expect(pool.freed(members[0].entry).isEmpty)
        #expect(words(pool.freed(members[0].entry)) == ["run 4 on 0"])
    }

    @Test
    func `A retired connection gets no exchange, and another is opened for the waiting ones`() {
        var pool = pool()
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a", isShared: true, capacity: 2)
        _ = pool.submitted(2, to: "a")
        #expect(pool.submitted(3, to: "a").isEmpty)
        #expect(words(pool.retired(members[0].entry)) == ["open a for 3"])
        #expect(pool.freed(members[0].entry).isEmpty)
        #expect(words(pool.opened(members[1], to: "a", isShared: true, capacity: 2)) == ["run 3 on 1"])
        #expect(pool.closed(members[0].entry).isEmpty)
        #expect(pool.count == 1)
    }

    @Test
    func `A shared connection is idle only when it runs no exchange`() {
        var pool = pool(total: 1)
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a", isShared: true, capacity: 10)
        _ = pool.submitted(2, to: "a")
        _ = pool.freed(members[0].entry)
        let mayClose = pool.takeIdle(members[0].entry)
        #expect(!mayClose)
        #expect(pool.submitted(3, to: "b").isEmpty)
        #expect(words(pool.freed(members[0].entry)) == ["close 0"])
        #expect(words(pool.closed(members[0].entry)) == ["open b for 3"])
    }

    @Test
    func `While draining, a shared connection is closed when it runs no exchange`() {
        var pool = pool()
        _ = pool.submitted(1, to: "a")
        _ = pool.opened(members[0], to: "a", isShared: true, capacity: 10)
        _ = pool.submitted(2, to: "a")
        #expect(pool.drain().isEmpty)
        #expect(pool.freed(members[0].entry).isEmpty)
        #expect(words(pool.freed(members[0].entry)) == ["close 0"])
    }
}
