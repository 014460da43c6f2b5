import Foundation
import SallyportTransport

extension NetworkService {
    /// The request of a transfer: the service's timeout is for the wait for an answer, not for all the bytes.
    func transferRequest(
        for endpoint: some Endpoint,
        _ change: (inout HttpRequest) -> Void = { _ in }
    ) throws(NetworkServiceError) -> HttpRequest {
        var request = try request(for: endpoint)
        change(&request)
        // An endpoint that set a timeout of its own means the whole.
        if request.timeout == configuration.timeout, request.timeouts == nil {
            request.timeout = nil
            request.timeouts = Timeouts(head: TimeLimit.duration(configuration.timeout), total: nil)
        }
        return request
    }

    /// The identifier of a transfer: the app's, and what it gave or a random one.
    func transferIdentifier(_ identifier: String?) -> String {
        "\(configuration.clientBundle).\(identifier ?? UUID().uuidString.lowercased())"
    }
}

extension Transfer {
    /// What comes of it, telling how far it has come meanwhile. The last report is told before this returns.
    func finished(
        telling onProgress: (@Sendable (Progress) -> Void)?,
        _ reader: EndpointResponseReader
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
    /// What a transfer that failed comes to.
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
