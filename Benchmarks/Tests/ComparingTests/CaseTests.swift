import Testing

import Comparing

@Suite struct CaseTests {
    @Test func `Each case has a unique name, and so has each of its clients`() {
        #expect(Set(allCases.map(\.name)).count == allCases.count)
        for `case` in allCases {
            #expect(Set(`case`.contenders.map(\.name)).count == `case`.contenders.count, "\(`case`.name)")
        }
    }

    @Test(arguments: allCases.map(\.name))
    func `Each target compares clients that take part in the case`(name: String) throws {
        let found = try #require(allCases.first { $0.name == name })
        var results = Results(of: found)
        let sample = Sample(cpuMicroseconds: 1, wallMicroseconds: 1, rssMB: 1, kibPerCall: 1)
        results.add(Dictionary(uniqueKeysWithValues: found.contenders.map { ($0.name, sample) }))
        #expect(results.rows.flatMap(\.verdicts).count == found.targets.count)
        let names = Set(found.contenders.map(\.name))
        #expect(names.isSuperset(of: found.contenders.compactMap(\.peer)))
    }

    @Test func `A case is selected by its complete name or by a prefix`() {
        let found = Case("get-tls", "", Work(.get, .tls))
        #expect(found.isMeant(by: "get-tls"))
        #expect(found.isMeant(by: "get*"))
        #expect(!found.isMeant(by: "get"))
        #expect(!found.isMeant(by: "connect*"))
    }
}
