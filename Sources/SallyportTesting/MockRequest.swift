import Foundation
import HTTPTypes
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
        body = try await request.body.collect(upTo: .max)
        trailers = try await request.trailers?() ?? [:]
    }
}
