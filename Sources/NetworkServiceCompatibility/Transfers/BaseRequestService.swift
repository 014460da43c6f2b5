import Foundation
import SallyportService

/// The base class of ``UploadService`` and ``DownloadService``.
open class BaseRequestService {
    let configuration: NetworkServiceConfiguration

    init(_ configuration: NetworkServiceConfiguration) {
        self.configuration = configuration
    }

    /// Performs a transfer in a new task, and passes its result to a closure.
    ///
    /// A background session ends with its transfer, as in the original library: a transfer that has failed or was cancelled is
    /// removed, so that its identifier can be used again. A transfer whose process has ended is continued when it is repeated.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer.
    ///   - service: The service of the transfer.
    ///   - transfer: A closure that performs the transfer.
    ///   - completion: A closure that is called once, on the main actor.
    /// - Returns: The task, with which the transfer can be cancelled.
    @discardableResult
    static func start<Value: Sendable>(
        _ identifier: String,
        by service: SallyportService.NetworkService,
        _ transfer: @escaping @Sendable () async throws(NetworkServiceError) -> Value,
        completion: @escaping @MainActor (Result<Value, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        Task {
            do throws(NetworkServiceError) {
                let value = try await transfer()
                await completion(.success(value))
            } catch {
                if service.configuration.sessionType == .background {
                    // In a new task, as this one may have been cancelled. If it fails, another call uses the identifier.
                    await Task { try? await service.removeBackgroundTransfer(identifier) }.value
                }
                await completion(.failure(error))
            }
        }
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
