import NIOCore
import NIOSSL
import NIOTLS
import SallyportTransport

/// Waits for the end of a handshake, for better or worse.
final class TLSHandshake: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let server: ServerName
    private let done: EventLoopPromise<String?>
    private var isDone = false

    private init(server: ServerName, done: EventLoopPromise<String?>) {
        self.server = server
        self.done = done
    }

    /// Secures a connected channel that does not read yet.
    ///
    /// - Returns: The protocol that the server chose, if it chose one; the future fails with what prevented it.
    static func perform(
        on channel: any Channel,
        server: ServerName,
        context: NIOSSLContext,
        limit: TimeAmount?
    ) -> EventLoopFuture<String?> {
        let done = channel.eventLoop.makePromise(of: String?.self)
        do {
            let handshake = TLSHandshake(server: server, done: done)
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLClientHandler(context: context, serverHostname: server.indication),
                handshake
            )
            if let limit { handshake.giveUp(after: limit, on: channel) }
            try channel.beginReading()
        } catch {
            done.fail(NetworkError(handshakeWith: server, failed: error))
        }
        return done.futureResult
    }

    private func giveUp(after limit: TimeAmount, on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            guard let self else { return }
            let reason = "the TLS handshake with \(self.server) took longer than \(Duration(limit).inSeconds)"
            let advice = "the server may not speak TLS on this port"
            self.finish(.failure(.timeout(NetworkFailure(reason, phase: .tls, advice: advice))))
        }
    }

    private func finish(_ outcome: Result<String?, NetworkError>) {
        guard !isDone else { return }
        isDone = true
        done.completeWith(outcome.mapError { $0 as any Error })
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let chosen) = event { checkName(context, then: chosen) }
        context.fireUserInboundEventTriggered(event)
    }

    /// The chain has been checked in the handshake; whom it is for is checked here, before a request is sent.
    private func checkName(_ context: ChannelHandlerContext, then chosen: String?) {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes()
        context.eventLoop.makeFutureWithTask { [server] in await server.isNamed(in: certificate ?? []) }
            .assumeIsolated()
            .whenSuccess { isNamed in
                if isNamed { return self.finish(.success(chosen)) }
                let reason = "the server's certificate is not for \(self.server)"
                self.finish(.failure(.certificateRefused(NetworkFailure(reason, phase: .tls))))
            }
    }

    /// What comes between the handshake's end and the first request would be lost, and the rest taken for an answer.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        finish(.failure(.invalidResponse(NetworkFailure("\(server) sent data before it was asked", phase: .tls))))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        finish(.failure(NetworkError(handshakeWith: server, failed: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(.tlsFailed(NetworkFailure("\(server) ended the connection in the handshake", phase: .tls))))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.failure(.tlsFailed(NetworkFailure("the connection ended during the TLS handshake", phase: .tls))))
    }
}

extension NetworkError {
    /// Tells a refused certificate from other failures of a handshake.
    fileprivate init(handshakeWith server: ServerName, failed error: any Error) {
        let reason = error.reasonInTLS
        switch reason {
        case "certificate verify failed":
            self = .certificateRefused(
                NetworkFailure(
                    "the certificate of \(server) was not issued by an authority that is trusted, or is not valid now",
                    phase: .tls,
                    advice: "if the server is yours, give its authority as a trust root",
                    underlying: error
                )
            )
        case "wrong version number", "http request":
            self = .tlsFailed(
                NetworkFailure(
                    "\(server) does not speak TLS on this port",
                    phase: .tls,
                    advice: "check the port, or use http if the server has no TLS",
                    underlying: error
                )
            )
        default:
            self = .tlsFailed(
                NetworkFailure("the TLS handshake with \(server) failed: \(reason)", phase: .tls, underlying: error)
            )
        }
    }
}

extension Error {
    /// BoringSSL's reason in words, without the places in its sources.
    fileprivate var reasonInTLS: String {
        let text = String(describing: self)
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "certificate verify failed" }
        guard let start = text.range(of: "OPENSSL_internal:")?.upperBound else { return text }
        return text[start...].prefix { $0 != " " && $0 != "]" }.replacing("_", with: " ").lowercased()
    }
}

extension Error {
    /// Whether TLS ended without its own goodbye.
    var isUncleanShutdown: Bool { self as? NIOSSLError == .uncleanShutdown }
}
