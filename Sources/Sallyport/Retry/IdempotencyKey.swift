import Foundation
import SallyportTransport

/// The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header), by which a server knows a request again.
package enum IdempotencyKey {
    /// Whether the request has a key already.
    package static func isSet(on request: HttpRequest) -> Bool {
        request.getHeader(name: NetworkConstants.headerIdempotencyKey) != nil
    }

    /// Gives the request a key of its own, as a string of RFC 8941.
    package static func add(to request: inout HttpRequest) {
        let key = UUID().uuidString.lowercased()
        request.setHeader(name: NetworkConstants.headerIdempotencyKey, value: "\"\(key)\"")
    }
}
