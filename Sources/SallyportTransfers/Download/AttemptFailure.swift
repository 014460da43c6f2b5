import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The reason why a request did not fetch all of the requested bytes.
enum AttemptFailure: Error {
    /// The call failed, or its status is not a success; another attempt may succeed.
    case outcome(Result<HttpResponse, NetworkError>)
    /// The transfer has failed.
    case final(TransferError)

    /// The maximum number of bytes of an error response's body that are read.
    private static let maximumBodySize = 65_536

    /// The maximum time to wait for the body of an error response.
    private static let bodyTimeout = Duration.seconds(10)

    /// Creates the failure for a response without a success status. It contains the beginning of the response's body.
    init(_ response: HttpResponse, _ time: TimeSource) async {
        guard response.bodyStream.length != 0 else {
            self = .outcome(.success(response))
            return
        }
        // The error is reported with the bytes that arrived.
        var copy = response
        copy.body = await response.bodyStream.beginning(
            upTo: Self.maximumBodySize,
            within: Self.bodyTimeout,
            by: time
        ).bytes
        self = .outcome(.success(copy))
    }
}
