import Testing

import Comparing

@Suite struct TableTests {
    private let rows: [Row] = {
        var results = Results(of: Case("download", "", Work(.download, .plain), .ratio(atMost: 0.8)))
        results.add([
            "libcurl": Sample(cpuMicroseconds: 12.34, wallMicroseconds: 2_500, rssMB: 12),
            "sallyport": Sample(cpuMicroseconds: 24.68, wallMicroseconds: 250_000),
        ])
        return results.rows
    }()

    @Test func `Columns are aligned, and times have suitable units`() {
        let text = """
            case      client     CPU/call  wall/call  memory   to libcurl        target: measured
            download  libcurl    12.3 µs   2.50 ms    12.0 MB
                      sallyport  24.7 µs   0.25 s              2.00 (2.00–2.00)  ≤ 0.80: 2.00 MISSED
            """
        #expect(Table.text(rows) == text)
    }

    @Test func `The Markdown table has a separator line below its header`() {
        let markdown = """
            | case | client | CPU/call | wall/call | memory | to libcurl | target: measured |
            | --- | --- | --- | --- | --- | --- | --- |
            | download | libcurl | 12.3 µs | 2.50 ms | 12.0 MB |  |  |
            |  | sallyport | 24.7 µs | 0.25 s |  | 2.00 (2.00–2.00) | ≤ 0.80: 2.00 MISSED |
            """
        #expect(Table.markdown(rows) == markdown)
    }
}
