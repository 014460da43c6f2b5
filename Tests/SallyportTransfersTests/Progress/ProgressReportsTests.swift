import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct ProgressReportsTests {
    @Test func `A late reader receives the latest report, also after the end`() async {
        let reports = ProgressReports()
        reports.update(completed: 7, total: 9)
        var reader = reports.stream().makeAsyncIterator()
        #expect(await reader.next()?.completedBytes == 7)
        reports.finish()
        #expect(await reader.next()?.state == .finished)
        #expect(await reader.next() == nil)
        var late = reports.stream().makeAsyncIterator()
        #expect(await late.next()?.completedBytes == 7)
        #expect(await late.next() == nil)
    }

    @Test func `A slow reader receives only the last report`() async {
        let reports = ProgressReports()
        let stream = reports.stream()
        for _ in 0..<10_000 { reports.advance(by: 1) }
        reports.finish()
        var seen: [TransferProgress] = []
        for await report in stream { seen.append(report) }
        #expect(seen.map(\.completedBytes) == [10_000])
        #expect(seen.last?.state == .finished)
    }

    @Test func `Each reader's last report is the final one, even with concurrent reports`() async {
        for _ in 0..<200 {
            let reports = ProgressReports()
            let stream = reports.stream()
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { for number in 0..<20 { reports.update(completed: Int64(number), total: nil) } }
                    group.addTask { reports.setState(.running) }
                }
                group.addTask { reports.finish() }
            }
            var last: TransferProgress?
            for await report in stream { last = report }
            #expect(last == reports.progress)
            #expect(last?.state == .finished)
            #expect(reports.foundationProgress.completedUnitCount == reports.progress.completedBytes)
        }
    }

    @Test func `Foundation's progress has the values of the last report before any reader receives it`() async {
        for _ in 0..<200 {
            let reports = ProgressReports()
            // Many readers, so that the first ones run while the others receive the report.
            let readers = (0..<50).map { _ in reports.stream() }
            let fractions = await withTaskGroup { group in
                for reader in readers {
                    group.addTask {
                        var fraction = 0.0
                        for await _ in reader { fraction = reports.foundationProgress.fractionCompleted }
                        return fraction
                    }
                }
                reports.update(completed: 0, total: 10)
                // This is not reported yet, so that the last report is also the first one with these bytes.
                reports.update(completed: 10, total: 10)
                reports.finish()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(fractions.allSatisfy { $0 == 1 })
        }
    }

    @Test func `A reader begins with the current progress, reported or not`() async {
        let reports = ProgressReports()
        reports.update(completed: 1, total: 9)
        reports.update(completed: 2, total: 9)
        var reader = reports.stream().makeAsyncIterator()
        #expect(await reader.next()?.completedBytes == 2)
    }

    @Test func `Each iteration is an independent reader`() async {
        let reports = ProgressReports()
        for await _ in reports.stream() { break }
        var reader = reports.stream().makeAsyncIterator()
        reports.update(completed: 1, total: 1)
        reports.finish()
        #expect(await reader.next()?.state == .finished)
    }

    @Test func `Bytes of an earlier transfer do not count for the rate`() async throws {
        let reports = ProgressReports()
        reports.setState(.running)
        reports.start(completed: 1_000_000_000, total: 2_000_000_000)
        try await Task.sleep(for: .milliseconds(110))
        reports.advance(by: 1000)
        #expect(reports.progress.bytesPerSecond > 0)
        #expect(reports.progress.bytesPerSecond < 10_000)
        #expect(reports.progress.completedBytes == 1_000_001_000)
    }
}
