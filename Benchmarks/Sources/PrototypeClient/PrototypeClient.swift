import Foundation
import Measuring
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The least that a client on SwiftNIO needs: persistent connections, NIOHTTP1, and one continuation for each call. It has no timeouts,
/// limits, cancellation or checks, so it shows the cost of the libraries below Sallyport.
@main
enum PrototypeClient {
    static func main() async throws {
        let job = try Job()
        guard job.kind == .get || job.kind == .hold, job.hosts == 1, let url = URL(string: job.url),
            let host = url.host, let port = url.port
        else {
            throw Unexpected(what: "client-prototype makes only GETs of one host")
        }
        let client = Client(host: host, port: port, tls: try job.authority.map(context))
        let fields: HTTPHeaders = ["host": "\(host):\(port)", "accept": "*/*"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.path, headers: fields)
        try await job.measure { _ in
            let response = try await client.send(head)
            guard response.head.status == .ok else { throw Unexpected(what: "\(response.head.status)") }
        }
    }

    private static func context(trusting authority: String) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(authority)
        return try NIOSSLContext(configuration: configuration)
    }
}

/// A client of one host, whose idle connections the next calls use.
private final class Client: Sendable {
    private let host: String
    private let port: Int
    private let tls: NIOSSLContext?
    private let idle = NIOLockedValueBox<[Connection]>([])

    init(host: String, port: Int, tls: NIOSSLContext?) {
        (self.host, self.port, self.tls) = (host, port, tls)
    }

    func send(_ head: HTTPRequestHead) async throws -> Response {
        let connection: Connection
        if let unused = idle.withLockedValue({ $0.popLast() }) {
            connection = unused
        } else {
            connection = try await open()
        }
        return try await withCheckedThrowingContinuation { continuation in
            connection.send(head, continuation)
        }
    }

    private func open() async throws -> Connection {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { [host, tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let tls else { return }
                    // A name, because the server name indication cannot contain an address.
                    let name = host == "127.0.0.1" ? nil : host
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: tls, serverHostname: name)
                    )
                }
            }
            .connect(host: host, port: port)
            .flatMapThrowing { [idle] channel in
                let connection = Connection(channel) { free in idle.withLockedValue { $0.append(free) } }
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(connection)
                return connection
            }
            .get()
    }
}

private struct Response: Sendable {
    let head: HTTPResponseHead
    let body: ByteBuffer
}

/// A connection that runs one call at a time.
// Unchecked: the variables are used on the channel's event loop only.
private final class Connection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let channel: any Channel
    private let onFree: @Sendable (Connection) -> Void
    private var waiting: CheckedContinuation<Response, any Error>?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(_ channel: any Channel, onFree: @escaping @Sendable (Connection) -> Void) {
        self.channel = channel
        self.onFree = onFree
    }

    func send(_ head: HTTPRequestHead, _ continuation: CheckedContinuation<Response, any Error>) {
        channel.eventLoop.execute { [self] in
            guard channel.isActive else { return continuation.resume(throwing: ChannelError.ioOnClosedChannel) }
            waiting = continuation
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(var bytes): body.writeBuffer(&bytes)
        case .end:
            guard let head, let waiting else { return }
            let response = Response(head: head, body: body)
            (self.head, self.waiting, body) = (nil, nil, ByteBuffer())
            onFree(self)
            waiting.resume(returning: response)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting?.resume(throwing: ChannelError.eof)
        waiting = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        waiting?.resume(throwing: error)
        waiting = nil
        context.close(promise: nil)
    }
}
