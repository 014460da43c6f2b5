import Crypto
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Sallyport
import SallyportStorage

@testable import SallyportGateway

/// Runs SwiftNIO's server of resumable uploads, which responds with the length and the SHA-256 of a body.
///
/// - Parameter origin: The origin of the URLs that the server announces.
func withNIOUploadServer<Result>(
    origin: String,
    _ body: (_ port: Int, _ finished: Locked<[UploadAnswer]>) async throws -> Result
) async throws -> Result {
    let finished = Locked<[UploadAnswer]>([])
    let context = HTTPResumableUploadContext(origin: origin)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.configureHTTPServerPipeline()
                try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                try pipeline.addHandler(
                    HTTPResumableUploadHandler(context: context) { child in
                        try? child.pipeline.syncOperations.addHandler(DigestHandler(finished))
                    }
                )
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    defer { listener.close(promise: nil) }
    return try await body(listener.localAddress?.port ?? 0, finished)
}

/// Responds to a request with the digest of its body.
private final class DigestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private var bytes = Data()
    private let finished: Locked<[UploadAnswer]>

    init(_ finished: Locked<[UploadAnswer]>) {
        self.finished = finished
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: bytes = Data()
        case .body(let part): bytes += part.readableBytesView
        case .end:
            let answer = UploadAnswer(of: bytes)
            finished.withLock { $0.append(answer) }
            let json = (try? JSONEncoder().encode(answer)) ?? Data()
            var head = HTTPResponse(status: .ok)
            head.headerFields[.contentLength] = "\(json.count)"
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: json))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
