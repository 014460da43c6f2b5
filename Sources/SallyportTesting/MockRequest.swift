import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A request that a ``MockTransport`` received, including its complete body.
public struct MockRequest: Sendable {
    /// The head: method, scheme, authority, path with query, and header fields.
    public let head: HTTPRequest

    /// The bytes of the body; empty if there was none.
    public let body: Data

    /// The trailer fields after the body.
    public let trailers: HTTPFields

    /// The timeouts of the exchange.
    public let timeouts: Timeouts

    /// A Boolean value that indicates whether the body required `100 Continue`.
    public let expectsContinue: Bool

    /// The method.
    public var method: HTTPRequest.Method { head.method }

    /// The complete URL.
    public var url: String { "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")" }

    /// The path without the query.
    public var path: String { String((head.path ?? "").prefix { $0 != "?" }) }

    /// The query without the question mark, if there is one.
    public var query: String? {
        guard let path = head.path, let mark = path.firstIndex(of: "?") else { return nil }
        return String(path[path.index(after: mark)...])
    }

    /// The body as UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header; several values are joined with commas. The name is not case-sensitive.
    public func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[$0] }
    }

    init(_ request: TransportRequest) async throws {
        head = request.head
        timeouts = request.timeouts
        expectsContinue = request.expectsContinue
        body = try await Self.bytes(of: request.body)
        trailers = try await request.trailers?() ?? [:]
    }

    private static func bytes(of body: RequestBody) async throws -> Data {
        switch body {
        case .none: return Data()
        case .data(let data): return data
        case .file(let url): return try Data(contentsOf: url)
        case .stream(let stream):
            let collected = Locked(Data())
            try await stream.forEachChunk { chunk in collected.withLock { $0 += chunk } }
            let bytes = collected.withLock { $0 }
            if let length = stream.length, length != bytes.count {
                throw NetworkError.invalidRequest("the body has \(bytes.count) bytes, not the declared \(length)")
            }
            return bytes
        }
    }
}
