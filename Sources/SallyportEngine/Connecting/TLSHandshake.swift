import NIOCore
import NIOSSL
import NIOTLS
import SallyportTransport

/// Waits for the end of a handshake, for better or worse.
final class TLSHandshake: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let host: String
    private let done: EventLoopPromise<Void>
    private var isDone = false

    private init(host: String, done: EventLoopPromise<Void>) {
        self.host = host
        self.done = done
    }

    /// Secures a connected channel; the future fails with what prevented it.
    static func perform(on channel: any Channel, host: String, context: NIOSSLContext, limit: TimeAmount?)
        -> EventLoopFuture<Void>
    {
        let done = channel.eventLoop.makePromise(of: Void.self)
        do {
            let handshake = TLSHandshake(host: host, done: done)
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLClientHandler(context: context, serverHostname: serverName(host)),
                handshake
            )
            if let limit { handshake.giveUp(after: limit, on: channel) }
        } catch {
            handshakeFailed(error, host: host, done)
        }
        return done.futureResult
    }

    /// The name for SNI and for the check of the certificate; none for a numeric address, which is checked as such.
    private static func serverName(_ host: String) -> String? {
        if (try? SocketAddress(ipAddress: host, port: 0)) != nil { return nil }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private func giveUp(after limit: TimeAmount, on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.finish(
                .failure(
                    .timeout(
                        NetworkFailure(
                            "the TLS handshake with \(self?.host ?? "") took longer than \(Duration(limit).inSeconds)",
                            phase: .tls,
                            advice: "the server may not speak TLS on this port"
                        )
                    )
                )
            )
        }
    }

    private func finish(_ outcome: Result<Void, NetworkError>) {
        guard !isDone else { return }
        isDone = true
        done.completeWith(outcome.mapError { $0 as any Error })
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { finish(.success(())) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        finish(.failure(NetworkError(handshakeWith: host, failed: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(
            .failure(.tlsFailed(NetworkFailure("\(host) closed the connection during the TLS handshake", phase: .tls)))
        )
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.failure(.tlsFailed(NetworkFailure("the connection ended during the TLS handshake", phase: .tls))))
    }

    private static func handshakeFailed(_ error: any Error, host: String, _ done: EventLoopPromise<Void>) {
        done.fail(NetworkError(handshakeWith: host, failed: error))
    }
}

extension NetworkError {
    /// Tells a refused certificate from other failures of a handshake.
    fileprivate init(handshakeWith host: String, failed error: any Error) {
        let text = String(describing: error)
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self = .certificateRefused(
                NetworkFailure("the server's certificate is not for \(host)", phase: .tls, underlying: error)
            )
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") || error as? NIOSSLError == .unableToValidateCertificate {
            self = .certificateRefused(
                NetworkFailure(
                    "the certificate of \(host) was not issued by an authority that is trusted, or is not valid now",
                    phase: .tls,
                    advice: "if the server is yours, give its authority as a trust root",
                    underlying: error
                )
            )
        } else {
            self = .tlsFailed(
                NetworkFailure("the TLS handshake with \(host) failed: \(text)", phase: .tls, underlying: error)
            )
        }
    }
}

extension Error {
    /// Whether TLS ended without its own goodbye.
    var isUncleanShutdown: Bool { self as? NIOSSLError == .uncleanShutdown }
}
