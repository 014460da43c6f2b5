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

    /// Creates the failure of a response whose status is not a success, with the beginning of its body.
    init(_ response: HttpResponse, _ time: TimeSource) async {
        guard response.bodyStream.length != 0 else {
            self = .outcome(.success(response))
            return
        }
        let body = Locked(Data())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await chunk in response.bodyStream {
                        let isEnough = body.withLock { body in
                            body += chunk.prefix(Self.maximumBodySize - body.count)
                            return body.count == Self.maximumBodySize
                        }
                        if isEnough { return }
                    }
                } catch {
                    // The error is reported with the bytes that arrived.
                }
            }
            group.addTask { try? await time.sleep(Self.bodyTimeout) }
            await group.next()
            group.cancelAll()
        }
        var copy = response
        copy.body = body.withLock { $0 }
        self = .outcome(.success(copy))
    }
}
