import Foundation
import Testing

import Comparing

@Suite struct ResultsTests {
    private let work = Work(.get, .plain)

    @Test func `Ratios are computed within each round, so that a slow round does not change them`() throws {
        var results = Results(of: Case("get", "", work))
        results.add(["libcurl": cpu(10), "sallyport": cpu(12)])
        results.add(["libcurl": cpu(100), "sallyport": cpu(110)])
        results.add(["libcurl": cpu(10), "sallyport": cpu(15)])
        let ratio = try #require(results.ratio(of: "sallyport", to: "libcurl"))
        #expect((ratio.lowest, ratio.median, ratio.highest) == (1.1, 1.2, 1.5))
    }

    @Test func `A client that took part in some rounds is compared in these only`() throws {
        var results = Results(of: Case("get", "", work, peers: [.wrk]))
        results.add(["libcurl": cpu(10), "sallyport": cpu(10), "wrk": cpu(5)])
        results.add(["libcurl": cpu(10), "sallyport": cpu(10)])
        let row = try #require(results.rows.first { $0.client == "wrk" })
        #expect(row.ratio?.median == 0.5)
        #expect(row.rounds == 1)
        #expect(row.medians.rssMB == nil)
    }

    @Test func `The baseline libcurl has no ratio, and a client without samples has no row`() {
        var results = Results(of: Case("get", "", work))
        results.add(["libcurl": cpu(10)])
        #expect(results.rows.map(\.client) == ["libcurl"])
        #expect(results.rows.first?.ratio == nil)
    }

    @Test func `A case that measures wall time does not compare CPU time`() {
        var results = Results(of: Case("start", "", Case("get", "", work).contenders, measure: .wall))
        results.add([
            "libcurl": Sample(cpuMicroseconds: 1, wallMicroseconds: 10),
            "sallyport": Sample(cpuMicroseconds: 9, wallMicroseconds: 20),
        ])
        #expect(results.ratio(of: "sallyport", to: "libcurl")?.median == 2)
    }

    @Test(
        arguments: [
            (.ratio(atMost: 1.5), "≤ 1.50: 1.50", true),
            (.ratio(atMost: 1.4), "≤ 1.40: 1.50 MISSED", false),
            (.ratio(of: "libcurl", to: "sallyport", atMost: 1), "≤ 1.00 × sallyport: 0.67", true),
            (.added(of: "sallyport", to: "libcurl", atMost: 5), "≤ 5.0 µs more: 5.0", true),
            (.added(of: "sallyport", to: "libcurl", atMost: 4.9), "≤ 4.9 µs more: 5.0 MISSED", false),
            (.memory(atMost: 32), "≤ 32 MB: 30.5", true),
            (.memory(atMost: 30), "≤ 30 MB: 30.5 MISSED", false),
            (.memoryPerCall(atMost: 12), "≤ 12 KiB/call: 12.5 MISSED", false),
        ] as [(Target, String, Bool)]
    )
    func `A target is met up to its limit, and its description contains the measured value`(
        target: Target,
        description: String,
        isMet: Bool
    ) throws {
        var results = Results(of: Case("get", "", work, target))
        results.add([
            "libcurl": cpu(10),
            "sallyport": Sample(cpuMicroseconds: 15, wallMicroseconds: 1, rssMB: 30.5, kibPerCall: 12.5),
        ])
        let verdict = try #require(results.rows.flatMap(\.verdicts).first)
        #expect(verdict.description == description)
        #expect(verdict.isMet == isMet)
    }

    @Test func `The JSON of a row has the documented fields, with null for unknown values`() throws {
        var results = Results(of: Case("get", "", work, .ratio(atMost: 1.3)))
        results.add([
            "libcurl": cpu(10),
            "sallyport": Sample(cpuMicroseconds: 15, wallMicroseconds: 20, rssMB: 30, kibPerCall: 1),
        ])
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(results.rows))
        let rows = try #require(object as? [[String: Any]])
        #expect(rows.map { $0["client"] as? String } == ["libcurl", "sallyport"])
        #expect(rows[0]["ratio_to_libcurl"] is NSNull)
        #expect(rows[0]["rss_mb"] is NSNull)
        #expect(rows[1]["case"] as? String == "get")
        #expect(rows[1]["cpu_us_per_call"] as? Double == 15)
        #expect(rows[1]["wall_us_per_call"] as? Double == 20)
        #expect(rows[1]["rss_mb"] as? Double == 30)
        #expect(rows[1]["ratio_to_libcurl"] as? Double == 1.5)
        let target = try #require((rows[1]["targets"] as? [[String: Any]])?.first)
        #expect(target["met"] as? Bool == false)
    }

    private func cpu(_ microseconds: Double) -> Sample {
        Sample(cpuMicroseconds: microseconds, wallMicroseconds: microseconds)
    }
}
