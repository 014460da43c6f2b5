import HTTPTypes
import NIOCore
import NIOPosix
import SallyportTransport

/// The HTTP engine on SwiftNIO: a transport with its own connections, the default on Linux.
///
/// It keeps connections alive between exchanges, within the limits of its configuration. Closing it, or letting go of
/// it, closes them.
///
/// ```swift
/// let engine = Engine()
/// let request = TransportRequest(head: HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
/// let status = try await engine.send(request) { response in response.head.status }
/// ```
public final class Engine: Transport {
    private let configuration: TransportConfiguration
    private let pool: ConnectionPool

    /// Makes an engine. Nothing is opened or read before the first exchange.
    ///
    /// - Parameters:
    ///   - configuration: Trust, limits and address overrides.
    ///   - eventLoopGroup: The threads on which connections live; the process's own unless given.
    public init(
        configuration: TransportConfiguration = TransportConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.configuration = configuration
        pool = ConnectionPool(configuration, loops: EventLoops(eventLoopGroup))
    }

    deinit {
        pool.close()
    }

    /// The number of connections that are open or being opened.
    public var connectionCount: Int { pool.connectionCount }

    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        let outgoing = try OutgoingRequest(request, acceptEncoding: configuration.decodesContent ? "gzip, deflate" : nil)
        let exchange = Exchange(outgoing)
        if case .produced(let production) = outgoing.body {
            let upload = Task { await Upload(exchange: exchange, production: production).run() }
            scope.onExit {
                upload.cancel()
                await upload.value
            }
        }
        scope.onExit { exchange.fail(.cancelled("the body was not read within the scope of its exchange")) }
        pool.submit(exchange)
        return response(try await exchange.head(), of: exchange)
    }

    private func response(_ head: IncomingHead, of exchange: Exchange) -> TransportResponse {
        TransportResponse(
            head: head.response,
            body: ResponseBody(length: head.length, source: IncomingBody(exchange: exchange)),
            connection: head.connection,
            informational: exchange.informational
        )
    }

    public func close() {
        pool.close()
    }

    public func shutdown(grace: Duration) async {
        await pool.shutdown(grace: grace)
    }
}
