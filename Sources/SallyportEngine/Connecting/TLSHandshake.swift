import NIOCore
import NIOSSL
import NIOTLS
import SallyportTransport

/// Performs a TLS handshake on a channel, and completes a future with its outcome.
final class TLSHandshake: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let server: TLSServerName
    private let done: EventLoopPromise<String?>
    private var isDone = false
    private var record: HandshakeRecord?
    /// The result of the check of the server's certificates, or `nil` before its end.
    private var checkResult: Result<Void, NetworkError>?

    private init(server: TLSServerName, done: EventLoopPromise<String?>) {
        self.server = server
        self.done = done
    }

    /// Performs the handshake on a connected channel that does not read yet.
    ///
    /// - Parameters:
    ///   - name: The name of the TLS handler in the pipeline.
    ///   - record: The record to add the parameters of the handshake to, if they are wanted.
    /// - Returns: The protocol that the server chose, if any. The future fails with a ``NetworkError``.
    static func perform(
        on channel: any Channel,
        server: TLSServerName,
        with tls: ClientTLS,
        limit: TimeAmount?,
        name: String? = nil,
        recordingTo record: HandshakeRecord? = nil
    ) -> EventLoopFuture<String?> {
        let done = channel.eventLoop.makePromise(of: String?.self)
        do {
            let handshake = TLSHandshake(server: server, done: done)
            handshake.record = record
            if let record { try channel.pipeline.syncOperations.addHandler(ServerHelloHandler(record)) }
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(
                    context: tls.context,
                    serverHostname: server.indication,
                    customVerificationCallbackWithMetadata: { [eventLoop = channel.eventLoop] presented, verified in
                        handshake.check(presented, with: tls.check, on: eventLoop, then: verified)
                    }
                ),
                name: name
            )
            try channel.pipeline.syncOperations.addHandler(handshake)
            if let limit { handshake.scheduleTimeout(after: limit, on: channel) }
            try channel.beginReading()
        } catch {
            done.fail(NetworkError(handshakeWith: server, failed: error))
        }
        return done.futureResult
    }

    private func scheduleTimeout(after limit: TimeAmount, on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            guard let self else { return }
            let reason = "the TLS handshake with \(self.server) took longer than \(Quantity.time(Duration(limit)))"
            let advice = "the server may not speak TLS on this port"
            self.finish(.failure(.timeout(NetworkFailure(reason, phase: .tls, advice: advice))))
        }
    }

    private func finish(_ outcome: Result<String?, NetworkError>) {
        guard !isDone else { return }
        isDone = true
        done.completeWith(outcome.mapError { $0 as any Error })
    }

    /// Checks the server's certificates. Called once in every handshake, before a client certificate or any part of a
    /// request is sent.
    private func check(
        _ presented: [NIOSSLCertificate],
        with check: CertificateCheck,
        on eventLoop: any EventLoop,
        then verified: EventLoopPromise<NIOSSLVerificationResultWithMetadata>
    ) {
        let presented = presented.prefix(CertificateCheck.maximumOthers + 2).map { (try? $0.toDERBytes()) ?? [] }
        record?.set(certificates: Array(presented))
        eventLoop.makeFutureWithTask { [server] () -> Result<Void, NetworkError> in
            do throws(NetworkError) {
                return .success(try await check.check(presented, of: server))
            } catch {
                return .failure(error)
            }
        }
        .assumeIsolated()
        .whenSuccess { result in
            self.checkResult = result
            switch result {
            case .success: verified.succeed(.certificateVerified(VerificationMetadata(nil)))
            case .failure: verified.succeed(.failed)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let chosen) = event {
            let unchecked = NetworkFailure("the certificate of \(server) was not checked", phase: .tls)
            finish((checkResult ?? .failure(.certificateRefused(unchecked))).map { chosen })
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Fails if data arrives before the handshake ends: it would be lost, and the data after it parsed as a response.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        finish(
            .failure(
                .invalidResponse(
                    NetworkFailure("\(server) sent data before the TLS handshake was complete", phase: .tls)
                )
            )
        )
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        if case .failure(var refusal)? = checkResult {
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
    /// Creates the error for a handshake that failed for a reason other than the server's certificates.
    fileprivate init(handshakeWith server: TLSServerName, failed error: any Error) {
        switch error.reasonInLibrary {
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
                    "\(server) supports none of the offered versions of HTTP",
                    phase: .tls,
                    advice: SettingAdvice.http1InHandshake.rawValue,
                    underlying: error
                )
            )
        case "tlsv1 alert protocol version", "unsupported protocol":
            self = .tlsFailed(
                NetworkFailure(
                    "\(server) supports none of the offered versions of TLS",
                    phase: .tls,
                    advice: "the server has to support TLS 1.2 or later",
                    underlying: error
                )
            )
        default:
            self = .tlsFailed(
                NetworkFailure(
                    "the TLS handshake with \(server) failed: \(error.connectionReason)",
                    phase: .tls,
                    advice: TLSAlert(error)?.advice,
                    underlying: error
                )
            )
        }
    }
}

extension Error {
    /// A Boolean value that indicates whether TLS ended without a close_notify alert.
    var isUncleanShutdown: Bool { self as? NIOSSLError == .uncleanShutdown }
}

/// Copies decrypted bytes out of NIOSSL's reused buffer.
///
/// NIOSSL decrypts into the same buffer repeatedly. If a slice of it is still in use, it first copies the complete
/// buffer, which costs more than the decryption. An HTTP/2 connection needs no such handler, as it copies the content of
/// DATA frames into chunks.
final class PlaintextCopyHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let decrypted = unwrapInboundIn(data)
        var copy = context.channel.allocator.buffer(capacity: decrypted.readableBytes)
        copy.writeImmutableBuffer(decrypted)
        context.fireChannelRead(wrapInboundOut(copy))
    }
}

/// The name of a server, which its certificate must contain (RFC 9525).
struct TLSServerName: Sendable, Hashable, CustomStringConvertible {
    private let host: String
    private let isAddress: Bool

    /// - Parameter host: The host as in an origin: in lower case, an IPv6 address without brackets.
    init(_ host: String) {
        self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
        isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    var description: String { host }

    /// The name for Server Name Indication, or `nil` for an address (RFC 6066, section 3).
    var indication: String? { isAddress ? nil : host }

    /// The host if it is an address, or `nil`. The certificate of a named host must contain the name, not its address.
    var address: String? { isAddress ? host : nil }
}
