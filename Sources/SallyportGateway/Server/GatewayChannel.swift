import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection of the gateway: HTTP/1.1 with keep-alive.
@available(macOS 14, iOS 17, tvOS 17, *)
struct GatewayChannel: ServerChildChannel {
    private let http1: HTTP1Channel

    init(responder: @escaping HTTPChannelHandler.Responder) {
        http1 = HTTP1Channel(
            responder: Self.continuing(responder),
            configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(60))
        )
    }

    /// Returns a responder that first sends status 100 to clients that wait for it before they send the body. Hummingbird ignores
    /// `Expect: 100-continue`.
    static func continuing(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            if request.headers[.expect]?.lowercased() == "100-continue" {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            try await responder(request, writer, channel)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let operations = channel.pipeline.syncOperations
            let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try operations.addHandler(AbsoluteTargetHandler(), position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}

/// Replaces the `Host` of a request by the authority of its target, if the target is an absolute URL (RFC 9112, section 3.2.2).
///
/// Later handlers keep only the path of such a target.
private final class AbsoluteTargetHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let authority = Self.authority(of: head.uri) else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "Host", value: authority)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}
