import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOTLS

/// A connection of the gateway over TLS, for HTTP/2 or HTTP/1.1, as negotiated by ALPN (RFC 7301).
///
/// Hummingbird's `HTTP2UpgradeChannel` is not used, because it does not use ``GatewayChannel`` for HTTP/1.1 connections, and waits for
/// handshakes without a deadline.
@available(macOS 14, iOS 17, tvOS 17, *)
struct SecureGatewayChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        fileprivate let version: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>>
        let channel: any Channel
    }

    private let http1: GatewayChannel
    private let http2: HTTP2Channel

    init(responder: @escaping HTTPChannelHandler.Responder) {
        http1 = GatewayChannel(responder: responder)
        http2 = HTTP2Channel(
            responder: GatewayChannel.continuing(responder),
            configuration: HTTP2Channel.Configuration(
                idleTimeout: .seconds(60),
                gracefulCloseTimeout: .seconds(5),
                streamConfiguration: HTTP1Channel.Configuration(idleTimeout: .seconds(60))
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(HandshakeDeadlineHandler())
        }.flatMap { [http1, http2] in
            channel.configureHTTP2AsyncSecureUpgrade(
                http1ConnectionInitializer: { http1.setup(channel: $0, logger: logger) },
                http2ConnectionInitializer: { http2.setup(channel: $0, logger: logger) }
            )
        }.map { version in
            Value(version: version, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let version = try? await withTaskCancellationHandler {
            try await value.version.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
        switch version {
        case .http1_1(let value): await http1.handle(value: value, logger: logger)
        case .http2(let value): await http2.handle(value: value, logger: logger)
        case nil: break
        }
    }
}

/// Closes a connection if its TLS handshake takes longer than ten seconds, or is not complete when the gateway shuts down.
private final class HandshakeDeadlineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var deadline: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .seconds(10)) {
            channel.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            cancelDeadline()
        } else if event is ChannelShouldQuiesceEvent, deadline != nil {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelDeadline()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancelDeadline()
    }

    private func cancelDeadline() {
        deadline?.cancel()
        deadline = nil
    }
}
