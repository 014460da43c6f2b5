import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ExpiringTableTests {
    private let start = Date(timeIntervalSince1970: 0)

    @Test func `An entry can be read and updated until it expires`() {
        var table = ExpiringTable<String, Int>(limit: 10)
        table.insert(1, for: "a", until: start + 10, now: start)
        #expect(table.value(for: "a", now: start + 9) == 1)
        #expect(table.value(for: "a", now: start + 10) == nil)
        let late: Void? = table.update("a", now: start + 10) { $0 += 1 }
        #expect(late == nil)
        table.extend("a", until: start + 20)
        table.update("a", now: start + 10) { $0 += 1 }
        #expect(table.value(for: "a", now: start + 10) == 2)
        let removed = table.remove("a")
        #expect(removed == 2)
        #expect(table.value(for: "a", now: start) == nil)
    }

    @Test func `A table never exceeds its limit, and the oldest entries are evicted`() {
        var table = ExpiringTable<Int, Int>(limit: 100)
        var largest = 0
        for number in 0..<10_000 {
            table.insert(number, for: number, until: start + 10, now: start)
            largest = max(largest, table.count)
        }
        #expect(largest == 100)
        #expect(table.count > 93)
        #expect((10_000 - table.count..<10_000).allSatisfy { table.value(for: $0, now: start) == $0 })
    }

    @Test func `The owner with the most entries loses its oldest ones, and other owners lose none`() {
        var table = ExpiringTable<Int, String>(limit: 1000) { $1 }
        for number in 0..<50 { table.insert("small", for: -1 - number, until: start + 10, now: start) }
        for number in 0..<5_000 { table.insert("large", for: number, until: start + 10, now: start) }
        #expect(table.count <= 1000)
        #expect((0..<50).allSatisfy { table.value(for: -1 - $0, now: start) != nil })
        #expect((4_100..<5_000).allSatisfy { table.value(for: $0, now: start) != nil })
        // Entries of many owners do not evict those of a small one either.
        for number in 0..<5_000 {
            table.insert("owner \(number % 20)", for: 10_000 + number, until: start + 10, now: start)
        }
        #expect((20..<50).allSatisfy { table.value(for: -1 - $0, now: start) != nil })
    }

    @Test func `Removed and replaced entries do not count for their owner`() {
        var table = ExpiringTable<Int, String>(limit: 10, share: 2) { $1 }
        for number in 0..<100 {
            let isTaken = table.insertNew("a", for: number, until: start + 10, now: start)
            #expect(isTaken)
            table.remove(number)
        }
        for _ in 0..<100 { table.insert("a", for: 0, until: start + 10, now: start) }
        let taken = [1, 2].map { table.insertNew("a", for: $0, until: start + 10, now: start) }
        #expect(taken == [true, false])
        let ofAnother = table.insertNew("b", for: 3, until: start + 10, now: start)
        #expect(ofAnother)
        table.removeAll { $0 == "a" }
        let later = table.insertNew("a", for: 2, until: start + 10, now: start)
        #expect(later)
        #expect(table.count == 2)
    }

    @Test func `Expired entries are evicted before older ones that have not expired`() {
        var table = ExpiringTable<Int, Int>(limit: 100)
        table.insert(-1, for: -1, until: start + 1000, now: start)
        for number in 0..<900 {
            table.insert(number, for: number, until: start + Double(number) + 10, now: start + Double(number))
            #expect(table.count <= 100)
        }
        #expect(table.value(for: -1, now: start + 900) == -1)
    }

    @Test func `A new entry is inserted once, and a full table accepts none until others expire`() {
        var table = ExpiringTable<String, Bool>(limit: 2)
        var taken = ["a", "a", "b", "c"].map { table.insertNew(true, for: $0, until: start + 10, now: start) }
        #expect(taken == [true, false, true, false])
        taken = ["c", "a"].map { table.insertNew(true, for: $0, until: start + 20, now: start + 10) }
        #expect(taken == [true, true])
    }

    @Test func `Replacing an entry extends its expiry`() {
        var table = ExpiringTable<String, Int>(limit: 2)
        table.insert(1, for: "a", until: start + 1, now: start)
        table.insert(2, for: "a", until: start + 100, now: start)
        table.insert(3, for: "b", until: start + 100, now: start + 50)
        #expect(table.value(for: "a", now: start + 50) == 2)
        #expect(table.count == 2)
    }
}
