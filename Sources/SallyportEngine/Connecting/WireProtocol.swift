import NIOCore
import SallyportTransport

/// What is spoken on a connection, by its name in the TLS handshake (RFC 7301).
enum WireProtocol: String {
    case http2 = "h2"
    case http1 = "http/1.1"

    /// What is offered in a handshake, the preferred first.
    static func offered(under policy: HTTPVersionPolicy) -> [WireProtocol] {
        switch policy {
        case .automatic: [.http2, .http1]
        case .http1: [.http1]
        case .http2: [.http2]
        }
    }

    /// Whether a server that nothing is known of will probably speak HTTP/2.
    static func isHTTP2Likely(on origin: Origin, under policy: HTTPVersionPolicy) -> Bool {
        policy == .http2 || (policy == .automatic && origin.scheme == .https)
    }

    static func withoutTLS(under policy: HTTPVersionPolicy) -> WireProtocol {
        policy == .http2 ? .http2 : .http1
    }

    /// What a server chose in the handshake; one that does not negotiate speaks HTTP/1.1.
    ///
    /// - Throws: ``NetworkError/tlsFailed(_:)`` when it did not choose the one protocol that was offered.
    init(chosenBy origin: Origin, _ name: String?, under policy: HTTPVersionPolicy) throws(NetworkError) {
        self = name.flatMap(Self.init(rawValue:)) ?? .http1
        guard policy == .http2, self != .http2 else { return }
        let advice = SettingAdvice.http1AtServer.rawValue
        throw .tlsFailed(NetworkFailure("\(origin.host) does not speak HTTP/2", phase: .tls, advice: advice))
    }
}

extension WireProtocol {
    /// Makes a connection of a channel that is ready to speak this. To be called on the channel's event loop.
    func install(
        on channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) throws -> any Connection {
        switch self {
        case .http1:
            try HTTP1Connection.install(
                on: channel,
                origin: origin,
                owner: owner,
                watch: watch,
                configuration: configuration,
                facts: facts
            )
        case .http2:
            try HTTP2Connection.install(
                on: channel,
                origin: origin,
                owner: owner,
                watch: watch,
                configuration: configuration,
                facts: facts
            )
        }
    }
}
