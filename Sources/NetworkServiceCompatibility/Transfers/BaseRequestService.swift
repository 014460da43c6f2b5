import Foundation
import SallyportService
import SallyportTransfers

/// The base class of ``UploadService`` and ``DownloadService``.
open class BaseRequestService {
    let configuration: NetworkServiceConfiguration

    init(_ configuration: NetworkServiceConfiguration) {
        self.configuration = configuration
    }

    /// Performs a transfer in a new task, and passes its result to a closure.
    ///
    /// A background session ends with its transfer, as in the original library: a transfer that has failed or was cancelled is
    /// removed, so that its identifier can be used again. A transfer whose process has ended is continued when it is repeated, or
    /// replaced by a transfer with another path or other files.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer; `nil` for a random one.
    ///   - service: The service of the transfer.
    ///   - transfer: A closure that performs the transfer.
    ///   - completion: A closure that is called once, on the main actor.
    /// - Returns: The task, with which the transfer can be cancelled.
    @discardableResult
    static func start<Value: Sendable>(
        _ identifier: String?,
        by service: SallyportService.NetworkService,
        _ transfer: @escaping @Sendable () async throws(NetworkServiceError) -> Value,
        completion: @escaping @MainActor (Result<Value, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        @Sendable func perform() async -> Result<Value, NetworkServiceError> {
            do throws(NetworkServiceError) {
                return .success(try await transfer())
            } catch {
                if let identifier, service.configuration.sessionType == .background {
                    // In a new task, as this one may have been cancelled. If it fails, another call uses the identifier.
                    await Task { try? await service.removeBackgroundTransfer(identifier) }.value
                }
                return .failure(error)
            }
        }
        return Task {
            var result = await perform()
            if case .failure(let error) = result, error.info.transferError?.isOfOtherTransfer == true {
                // The transfer of the earlier process is removed now.
                result = await perform()
            }
            await completion(result)
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

/// Returns a closure that passes the progress to a callback on the main actor.
///
/// The callback receives a progress of its own, because the original may change on another thread meanwhile.
func onMainActor(_ callback: @escaping @MainActor (Progress) -> Void) -> @Sendable (Progress) -> Void {
    let shown = Progress(totalUnitCount: -1)
    return { progress in
        let (total, completed) = (progress.totalUnitCount, progress.completedUnitCount)
        // Tasks of the main actor run in the order in which they are created, each until its callback returns.
        Task { @MainActor in
            shown.totalUnitCount = total
            shown.completedUnitCount = completed
            callback(shown)
        }
    }
}

extension String {
    /// The text as the identifier of a background session and the name of its folder. Bytes other than letters, digits, dots, dashes
    /// and underscores are replaced by their hexadecimal digits between underscores.
    var sessionIdentifier: String {
        utf8.reduce(into: "") { text, byte in
            let character = Character(Unicode.Scalar(byte))
            let isAllowed = character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
            text += isAllowed ? String(character) : "_\(String(byte, radix: 16))_"
        }
    }
}
