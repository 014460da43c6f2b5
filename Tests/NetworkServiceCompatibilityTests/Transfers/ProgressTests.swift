import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import NetworkServiceCompatibility

@Suite(.concurrencyLimited) @MainActor struct ProgressTests {
    @Test func `A callback finds the progress for which it is called, although more has been transferred since`()
        async throws
    {
        let fractions = Watched<[Double]>([])
        let report = onMainActor { progress in fractions.update { $0.append(progress.fractionCompleted) } }
        // The callbacks run when this test waits.
        for completed: Int64 in 1...2 { report(TransferProgress(completedBytes: completed, totalBytes: 2)) }
        try await fractions.wait("both callbacks") { $0.count == 2 }
        #expect(fractions.value == [0.5, 1])
    }
}
