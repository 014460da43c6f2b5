import NIOCore
import SallyportTransport

/// The version of HTTP on a connection, by its protocol name in the TLS handshake (ALPN, RFC 7301).
enum WireProtocol: String {
    case http2 = "h2"
    case http1 = "http/1.1"

    /// Returns the protocols to offer in a handshake, the preferred one first.
    static func offered(under policy: HTTPVersionPolicy) -> [WireProtocol] {
        switch policy {
        case .automatic: [.http2, .http1]
        case .http1: [.http1]
        case .http2: [.http2]
        }
    }

    /// Returns a Boolean value that indicates whether an unknown server is likely to speak HTTP/2.
    static func isHTTP2Likely(on origin: Origin, under policy: HTTPVersionPolicy) -> Bool {
        policy == .http2 || (policy == .automatic && origin.scheme == .https)
    }

    /// Returns the protocol to speak without TLS, where nothing is negotiated.
    static func withoutTLS(under policy: HTTPVersionPolicy) -> WireProtocol {
        policy == .http2 ? .http2 : .http1
    }

    /// Creates the protocol that a server chose in the handshake; HTTP/1.1 if the server does not negotiate.
    ///
    /// - Throws: ``NetworkError/tlsFailed(_:)`` if only HTTP/2 was offered and the server did not choose it.
    init(chosenBy origin: Origin, _ name: String?, under policy: HTTPVersionPolicy) throws(NetworkError) {
        self = name.flatMap(Self.init(rawValue:)) ?? .http1
        guard policy == .http2, self != .http2 else { return }
        let advice = SettingAdvice.http1AtServer.rawValue
        throw .tlsFailed(NetworkFailure("\(origin.host) does not speak HTTP/2", phase: .tls, advice: advice))
    }
}

extension WireProtocol {
    /// Creates the connection that speaks this protocol and adds it to its channel's pipeline.
    ///
    /// Must be called on the channel's event loop.
    func makeConnection(_ setup: ConnectionSetup) throws -> any Connection {
        switch self {
        case .http1:
            if setup.facts.isSecure {
                try setup.channel.pipeline.syncOperations.addHandler(PlaintextCopyHandler())
            }
            return try HTTP1Connection(setup).addToPipeline()
        case .http2:
            try HTTP2Limits.boundReads(of: setup.channel)
            return try HTTP2Connection(setup).addToPipeline()
        }
    }
}

extension Connection where Self: ChannelHandler {
    fileprivate func addToPipeline() throws -> Self {
        try channel.pipeline.syncOperations.addHandler(self)
        return self
    }
}
