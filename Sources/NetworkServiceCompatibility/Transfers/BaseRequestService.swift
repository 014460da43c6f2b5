import Foundation
import SallyportTransfers

/// The base class of ``UploadService`` and ``DownloadService``.
open class BaseRequestService {
    let configuration: NetworkServiceConfiguration

    init(_ configuration: NetworkServiceConfiguration) {
        self.configuration = configuration
    }
}

extension NetworkServiceConfiguration {
    /// The configuration of transfers in a background session.
    static var background: NetworkServiceConfiguration {
        var configuration = NetworkServiceConfiguration()
        configuration.serviceSessionType = .background
        return configuration
    }
}

/// Returns a closure that passes the progress to a callback on the main actor.
func onMainActor(_ callback: @escaping @MainActor (Progress) -> Void) -> @Sendable (TransferProgress) -> Void {
    let shown = Progress(totalUnitCount: -1)
    return { progress in
        // Tasks of the main actor run in the order they are created, each until its callback returns.
        Task { @MainActor in
            shown.totalUnitCount = progress.totalBytes ?? -1
            shown.completedUnitCount = progress.completedBytes
            callback(shown)
        }
    }
}
