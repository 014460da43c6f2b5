import HTTPTypes
import NIOHPACK
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct FieldCacheTests {
    @Test
    func `Each head has its own fields, also if some or all of them repeat those of the last head`() throws {
        let (server, date) = (("server", "a"), ("date", "1"))
        let long = ("link", String(repeating: "b", count: 5_000))
        let heads = [
            [server, date], [server, date], [server, ("date", "2")], [server], [server, date, ("age", "3")], [],
            [date, server],
            [server, long], [server, long], [server, date], [("age", "1"), date],
        ]
        var cache = FieldCache()
        for head in heads {
            let response = try cache.response(HPACKHeaders([(":status", "200")] + head), limit: 10)
            #expect(response.headerFields.map { "\($0.name): \($0.value)" } == head.map { "\($0): \($1)" })
        }
    }

    @Test
    func `A value is not replaced by a canonically equivalent one`() throws {
        var cache = FieldCache()
        for value in ["\u{C5}", "A\u{30A}", "\u{212B}"] {
            let response = try cache.response(HPACKHeaders([(":status", "200"), ("server", value)]), limit: 10)
            #expect(response.headerFields[.server].map { Array($0.utf8) } == Array(value.utf8))
        }
    }
}
