import Foundation
import HTTPTypes
import SallyportStorage

/// A body that a transport decodes, before decoding. A cache observes it, because it stores bodies as they were received.
package final class EncodedBody: ResponseBodySource {
    package typealias Observer = @Sendable (Data) async -> Void

    /// The fields that describe the encoded body, `Content-Encoding` and `Content-Length`, which the response's head does not have.
    package let fields: HTTPFields

    private let source: any ResponseBodySource
    private let observer = Locked<Observer?>(nil)

    /// Creates a body that is not observed.
    package init(_ source: any ResponseBodySource, fields: HTTPFields) {
        self.source = source
        self.fields = fields
    }

    /// Calls a closure with each chunk that is read from now on, before the chunk is decoded. It replaces an earlier one.
    package func observe(_ observer: @escaping Observer) {
        self.observer.withLock { $0 = observer }
    }

    package func read() async throws(NetworkError) -> Data? {
        let chunk = try await source.read()
        if let chunk, let observe = observer.withLock({ $0 }) { await observe(chunk) }
        return chunk
    }

    package var isReceived: Bool { source.isReceived }

    package var trailers: HTTPFields { source.trailers }

    package func cancel() { source.cancel() }
}

/// A transport that decodes content codings, and can decode responses that a cache has stored.
package protocol DecodingTransport: Transport {
    /// The value of `Accept-Encoding` that the transport adds to a request that has neither this field nor a range; `nil` if it adds none.
    var acceptEncoding: String? { get }

    /// Returns a stored response with its body decoded, as a response to a request that the transport has sent.
    ///
    /// - Parameters:
    ///   - response: The response as it was received.
    ///   - request: The fields of the request, as they are passed to the transport.
    /// - Throws: ``NetworkError/undecodableBody(_:)``.
    func decode(_ response: TransportResponse, to request: HTTPFields) throws(NetworkError) -> TransportResponse
}
