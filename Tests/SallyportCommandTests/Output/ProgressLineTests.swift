import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ProgressLineTests {
    private static let half = TransferProgress(
        state: .running,
        completedBytes: 52_428_800,
        totalBytes: 104_857_600,
        bytesPerSecond: 10_485_760
    )

    @Test(
        arguments: [
            (
                140,
                "map.zip  [###################################...................................]  50%  50.0 of 100.0 MiB  10.0 MiB/s  5 s left"
            ),
            (100, "map.zip  [###############...............]  50%  50.0 of 100.0 MiB  10.0 MiB/s  5 s left"),
            (80, "map.zip  [#####.....]  50%  50.0 of 100.0 MiB  10.0 MiB/s  5 s left"),
            (60, "map.zip  [#####.....]  50%  50.0 of 100.0 MiB  10.0 MiB/s"),
            (50, "map.zip  [#####.....]  50%  50.0 of 100.0 MiB"),
            (49, "map.zip   50%  50.0 of 100.0 MiB  10.0 MiB/s"),
            (32, "map.zip   50%  50.0 of 100.0 MiB"),
            (20, "map.zip   50%"),
            (12, "m...p...50%"),
            (10, "m...   50%"),
            (4, " ..."),
        ]
    )
    func `A line that is too long omits the least important parts first`(columns: Int, line: String) {
        let drawn = ProgressLine(name: "map.zip", progress: Self.half).text(columns: columns, nameColumns: 7)
        #expect(TextColumns.count(drawn) <= columns)
        if columns >= 20 { #expect(drawn == line) }
    }

    @Test func `No line is longer than the width of the terminal`() {
        for columns in 1...160 {
            for name in ["", "a", "地図.zip", String(repeating: "long-", count: 30)] {
                for total: Int64? in [nil, 0, 1, 104_857_600, .max] {
                    for state: TransferProgress.State in [.waiting, .running, .paused, .finished] {
                        let progress = TransferProgress(
                            state: state,
                            completedBytes: 52_428_800,
                            totalBytes: total,
                            bytesPerSecond: 1e300
                        )
                        let width = ProgressLine.nameColumns(of: [name], columns: columns)
                        let line = ProgressLine(name: name, progress: progress).text(
                            columns: columns,
                            nameColumns: width
                        )
                        #expect(TextColumns.count(line) <= columns)
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            (TransferProgress(), "f  waiting"),
            (TransferProgress(state: .running, completedBytes: 900), "f  900 B  0 B/s"),
            (TransferProgress(state: .running, completedBytes: 2048, bytesPerSecond: 512), "f  2.0 KiB  512 B/s"),
            (
                TransferProgress(state: .paused, completedBytes: 1, totalBytes: 4),
                "f  [####............]  25%  1 of 4 B  paused"
            ),
            (
                TransferProgress(state: .finished, completedBytes: 4, totalBytes: 4),
                "f  [################] 100%  4 of 4 B"
            ),
            (TransferProgress(state: .running, totalBytes: 0), "f  [################] 100%  0 of 0 B  0 B/s"),
        ]
    )
    func `Unknown values are omitted`(progress: TransferProgress, line: String) {
        #expect(ProgressLine(name: "f", progress: progress).text(columns: 80, nameColumns: 1) == line)
    }

    @Test func `Names are aligned and use at most a third of the terminal`() {
        #expect(ProgressLine.nameColumns(of: ["a", "map.zip"], columns: 90) == 7)
        #expect(ProgressLine.nameColumns(of: [String(repeating: "n", count: 200)], columns: 90) == 30)
        #expect(ProgressLine.nameColumns(of: [], columns: 90) == 0)
        let line = ProgressLine(name: "a", progress: Self.half).text(columns: 79, nameColumns: 7)
        #expect(line.hasPrefix("a        [#####.....]"))
    }

    @Test func `Several lines are aligned in columns, even if they have different parts`() {
        let slow = TransferProgress(state: .running, completedBytes: 900, totalBytes: 9_000, bytesPerSecond: 3)
        let lines = [
            ProgressLine(name: "map.zip", progress: Self.half),
            ProgressLine(name: "a", progress: slow),
            ProgressLine(name: "unknown", progress: TransferProgress(state: .running, completedBytes: 2_048)),
            ProgressLine(name: "b", progress: TransferProgress(state: .paused, completedBytes: 1, totalBytes: 4)),
        ]
        #expect(
            ProgressLine.block(lines, columns: 90) == [
                "map.zip  [##########..........]  50%  50.0 of 100.0 MiB  10.0 MiB/s     5 s left",
                "a        [##..................]  10%     0.9 of 8.8 KiB       3 B/s  45 min left",
                "unknown                                         2.0 KiB       0 B/s",
                "b        [#####...............]  25%           1 of 4 B      paused",
            ]
        )
        for columns in 1...160 {
            let block = ProgressLine.block(lines, columns: columns)
            #expect(block.allSatisfy { TextColumns.count($0) <= columns })
        }
        #expect(ProgressLine.block([lines[0]], columns: 90) == [lines[0].text(columns: 90, nameColumns: 7)])
        #expect(ProgressLine.block([], columns: 90).isEmpty)
    }

    @Test(
        arguments: [
            (0.2, "1 s left"), (59, "59 s left"), (61, "1 min 1 s left"), (3_599, "59 min 59 s left"),
            (3_601, "1 h left"), (200_000, "2 days left"),
        ] as [(Double, String)]
    )
    func `The remaining time is shown in a suitable unit`(seconds: Double, text: String) {
        #expect(Format.timeLeft(.seconds(seconds)) == text)
    }
}
