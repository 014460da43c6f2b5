import Foundation
import SallyportTransport

/// One response whose body is a stream of events. Whoever lets go of it closes it.
final class EventConnection {
    let response: HttpResponse
    /// Whether it has brought an event.
    var hadEvents = false
    private let scope: ExchangeScope
    private var chunks: ResponseBody.AsyncIterator

    init(_ response: HttpResponse, in scope: ExchangeScope) {
        self.response = response
        self.scope = scope
        chunks = response.bodyStream.makeAsyncIterator()
    }

    deinit {
        response.bodyStream.cancel()
    }

    func read() async -> Result<Data?, NetworkError> {
        do {
            return .success(try await chunks.next())
        } catch {
            return .failure(NetworkError(wrapping: error, reason: "the event stream could not be read"))
        }
    }

    /// Gives up what the transport still holds of it.
    func close() async { await scope.end() }
}
