// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of AsyncHTTPClient 1.2x. Those of SwiftNIO are SwiftNIO's.
import NIOCore
import NIOHTTP1

public struct HTTPClientRequest: Sendable {
    public struct Body: Sendable {
        public enum Length: Sendable {
            case unknown
            case known(Int64)
        }

        public static func bytes(_ byteBuffer: ByteBuffer) -> Body { fatalError() }

        public static func stream<Bytes: AsyncSequence & Sendable>(_ bytes: Bytes, length: Length) -> Body
        where Bytes.Element == ByteBuffer { fatalError() }
    }

    public var url: String
    public var method = HTTPMethod.GET
    public var headers = HTTPHeaders()
    public var body: Body?

    public init(url: String) { self.url = url }
}

public struct HTTPClientResponse: Sendable {
    public struct Body: AsyncSequence, Sendable {
        public typealias Element = ByteBuffer

        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> ByteBuffer? { fatalError() }
        }

        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
        public func collect(upTo maxBytes: Int) async throws -> ByteBuffer { fatalError() }
    }

    public var status: HTTPResponseStatus
    public var headers: HTTPHeaders
    public var body: Body
}

public struct HTTPClientError: Error, Equatable, Sendable {
    public static let connectTimeout = HTTPClientError()
    public static let readTimeout = HTTPClientError()
    public static let deadlineExceeded = HTTPClientError()
}

public final class HTTPClient: Sendable {
    public enum EventLoopGroupProvider {
        case shared(any EventLoopGroup)
        public static var singleton: EventLoopGroupProvider { fatalError() }
    }

    public struct Configuration: Sendable {
        public struct Timeout: Sendable {
            public init(connect: TimeAmount? = nil, read: TimeAmount? = nil) {}
        }

        public struct RedirectConfiguration: Sendable {
            public static let disallow = RedirectConfiguration()
            public static func follow(max: Int, allowCycles: Bool) -> RedirectConfiguration { fatalError() }
        }

        public struct Proxy: Sendable {
            public static func server(host: String, port: Int) -> Proxy { fatalError() }
        }

        public var redirectConfiguration = RedirectConfiguration.disallow
        public var timeout = Timeout()
        public var proxy: Proxy?

        public init() {}
    }

    public struct Request {
        public init(url: String) throws {}
    }

    public final class Task<Response> {
        public func get() async throws -> Response { fatalError() }
    }

    public static let shared = HTTPClient(eventLoopGroupProvider: .singleton)

    public init(eventLoopGroupProvider: EventLoopGroupProvider, configuration: Configuration = Configuration()) {}

    public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
        fatalError()
    }

    public func execute(request: Request, delegate: FileDownloadDelegate) -> Task<FileDownloadDelegate.Progress> {
        fatalError()
    }

    public func shutdown() async throws {}
}

public final class FileDownloadDelegate {
    public struct Progress: Sendable {
        public var totalBytes: Int?
        public var receivedBytes: Int
    }

    public init(
        path: String,
        reportProgress: (@Sendable (Progress) -> Void)? = nil
    ) throws {}
}
