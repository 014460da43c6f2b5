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
    /// What came out of the check of the server's certificates; `nil` before its end.
    private var checked: Result<Void, NetworkError>?

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
        with tls: ClientTLS,
        limit: TimeAmount?
    ) -> EventLoopFuture<String?> {
        let done = channel.eventLoop.makePromise(of: String?.self)
        do {
            let handshake = TLSHandshake(server: server, done: done)
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLClientHandler(
                    context: tls.context,
                    serverHostname: server.indication,
                    customVerificationCallbackWithMetadata: { [eventLoop = channel.eventLoop] presented, verified in
                        handshake.check(presented, with: tls.check, on: eventLoop, then: verified)
                    }
                ),
                KeptPlaintext(),
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

    /// Called once in every handshake, before a client certificate or anything of a request is sent.
    private func check(
        _ presented: [NIOSSLCertificate],
        with check: CertificateCheck,
        on eventLoop: any EventLoop,
        then verified: EventLoopPromise<NIOSSLVerificationResultWithMetadata>
    ) {
        let presented = presented.prefix(CertificateCheck.maximumOthers + 2).map { (try? $0.toDERBytes()) ?? [] }
        eventLoop.makeFutureWithTask { [server] () -> Result<Void, NetworkError> in
            do throws(NetworkError) {
                return .success(try await check.check(presented, of: server))
            } catch {
                return .failure(error)
            }
        }
        .assumeIsolated()
        .whenSuccess { result in
            self.checked = result
            switch result {
            case .success: verified.succeed(.certificateVerified(VerificationMetadata(nil)))
            case .failure: verified.succeed(.failed)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let chosen) = event {
            let unchecked = NetworkFailure("the certificate of \(server) was not checked", phase: .tls)
            finish((checked ?? .failure(.certificateRefused(unchecked))).map { chosen })
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// What comes between the handshake's end and the first request would be lost, and the rest taken for an answer.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        finish(.failure(.invalidResponse(NetworkFailure("\(server) sent data before it was asked", phase: .tls))))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        if case .failure(var refusal)? = checked {
            refusal.failure.underlying = error
            finish(.failure(refusal))
        } else {
            finish(.failure(NetworkError(handshakeWith: server, failed: error)))
        }
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
    /// Says in words why a handshake failed, but for the server's certificates.
    fileprivate init(handshakeWith server: ServerName, failed error: any Error) {
        let reason = error.reasonInTLS
        switch reason {
        case "wrong version number", "http request":
            self = .tlsFailed(
                NetworkFailure(
                    "\(server) does not speak TLS on this port",
                    phase: .tls,
                    advice: "check the port, or use http if the server has no TLS",
                    underlying: error
                )
            )
        case "tlsv1 alert no application protocol":
            self = .tlsFailed(
                NetworkFailure(
                    "\(server) speaks none of the versions of HTTP that it was offered",
                    phase: .tls,
                    advice: SettingAdvice.http1InHandshake.rawValue,
                    underlying: error
                )
            )
        case "tlsv1 alert protocol version", "unsupported protocol":
            self = .tlsFailed(
                NetworkFailure(
                    "\(server) speaks none of the versions of TLS that it was offered",
                    phase: .tls,
                    advice: "the server has to speak TLS 1.2 or newer",
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
    /// BoringSSL's reason without its source locations, or the reason of the connection's failure.
    fileprivate var reasonInTLS: String {
        let text = connectionReason
        guard let start = text.range(of: "OPENSSL_internal:")?.upperBound else { return text }
        return text[start...].prefix { $0 != " " && $0 != "]" }.replacing("_", with: " ").lowercased()
    }
}

extension Error {
    /// Whether TLS ended without its own goodbye.
    var isUncleanShutdown: Bool { self as? NIOSSLError == .uncleanShutdown }
}
