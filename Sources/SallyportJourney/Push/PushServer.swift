import Crypto
import Foundation
import SallyportJOSE

/// A server of push mechanisms, identified by the base URL of its endpoints.
package struct PushServer: Sendable, Hashable {
    /// The URL before `/json/push/`, or the complete URL of an endpoint with another path.
    private let base: String

    /// - Parameter endpoint: The URL of one of its endpoints.
    package init(endpoint: String) {
        let url = endpoint.prefix { $0 != "?" }
        // Dot segments are removed when the request is sent, and could lead to the endpoint of another server.
        let end = url.contains("..") || url.contains("%") ? nil : url.range(of: "/json/push/")?.lowerBound
        base = String(url[..<(end ?? url.endIndex)])
    }

    /// The URL at which `sallyport serve` delivers messages.
    package var messagesURL: String { base + "/push/messages" }

    /// Returns the address of a device at this server.
    ///
    /// Whoever knows the address can collect the messages of `sallyport serve` for it. Because it is derived from the base URL, a server does
    /// not learn the address of the device at another server, even if its URI for enrollment contains an endpoint of that server.
    ///
    /// - Parameter secret: The secret of the device, from which all of its addresses are derived.
    package func deviceToken(from secret: Data) -> String {
        let key = SymmetricKey(data: secret)
        return Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(base.utf8), using: key)))
    }
}

extension PushMechanism {
    /// The server whose messages the mechanism answers.
    package var server: PushServer { PushServer(endpoint: authenticationURL) }
}
