import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TransferProgressTests {
    @Test(
        arguments: [(0, nil, nil), (0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (0, 0, 1)]
            as [(Int64, Int64?, Double?)]
    )
    func `The fraction is known if the total size is known`(completed: Int64, total: Int64?, fraction: Double?) {
        #expect(TransferProgress(completedBytes: completed, totalBytes: total).fraction == fraction)
    }

    @Test func `The remaining time is known only for a running transfer with a rate and total size`() {
        var progress = TransferProgress(state: .running, completedBytes: 10, totalBytes: 110, bytesPerSecond: 50)
        #expect(progress.timeLeft == .seconds(2))
        progress.bytesPerSecond = 1e-12
        #expect(progress.timeLeft == nil)
        progress.bytesPerSecond = 50
        progress.state = .paused
        #expect(progress.timeLeft == nil)
        progress.state = .running
        progress.totalBytes = nil
        #expect(progress.timeLeft == nil)
    }
}
