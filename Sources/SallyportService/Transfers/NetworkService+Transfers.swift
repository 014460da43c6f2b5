import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

extension NetworkService {
    /// Returns the request of a transfer. The service's timeout applies to the time until the response begins, not to
    /// the complete transfer.
    func transferRequest(
        for endpoint: some Endpoint,
        _ change: (inout HttpRequest) -> Void = { _ in }
    ) throws(NetworkServiceError) -> HttpRequest {
        var request = try request(for: endpoint)
        change(&request)
        // A timeout that the endpoint has set itself limits the complete transfer.
        if request.timeout == configuration.timeout, request.timeouts == nil {
            request.timeout = nil
            request.timeouts = Timeouts(head: TimeLimit.duration(configuration.timeout), total: nil)
        }
        return request
    }

    /// Returns the identifier of a transfer: the prefix of the configuration, followed by the specified identifier or a
    /// random one.
    func transferIdentifier(_ identifier: String?) -> String {
        if let identifier, !configuration.prefixesIdentifiers { return identifier }
        return "\(configuration.clientBundle).\(identifier ?? UUID().uuidString.lowercased())"
    }
}

extension Transfer {
    /// Waits for the transfer, reports its progress, and returns its value. The last report is delivered before the method
    /// returns.
    func value(
        reporting onProgress: (@Sendable (Progress) -> Void)?,
        failuresFrom reader: EndpointResponseReader
    ) async throws(NetworkServiceError) -> Value {
        let result = await withTaskGroup(of: Void.self) { group in
            if let onProgress {
                group.addTask { for await _ in self.progress { onProgress(self.foundationProgress) } }
            }
            return await self.result
        }
        do throws(TransferError) {
            return try result.get()
        } catch {
            throw reader.failure(error)
        }
    }
}

extension EndpointResponseReader {
    /// Returns the service's error for a failed transfer.
    func failure(_ error: TransferError) -> NetworkServiceError {
        switch error.reason {
        case .status(let response):
            var info = refusal(response)
            info.transferError = error
            return .refused(info)
        case .network(let networkError):
            var info = NetworkServiceErrorInfo(error.description)
            (info.networkError, info.transferError) = (networkError, error)
            return .callFailed(info)
        default:
            var info = NetworkServiceErrorInfo(error.description)
            info.transferError = error
            return .transferFailed(info)
        }
    }
}
