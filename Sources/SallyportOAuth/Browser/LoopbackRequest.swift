#if os(Linux) || os(macOS)
import Foundation
import NIOHTTP1

/// What of a request decides whether it is the browser's return from the authorization endpoint.
struct LoopbackRequest {
    /// What is waited for.
    struct Expected: Sendable {
        let authority: String
        let path: String
        /// `nil` where it is not known, as with a pushed authorization request.
        let state: String?
    }

    let method: HTTPMethod
    let target: String
    let hosts: [String]

    init(_ head: HTTPRequestHead) {
        method = head.method
        target = head.uri
        hosts = head.headers["Host"]
    }

    /// A page of another origin cannot pass for the redirect: by a name of its own for 127.0.0.1 it gives itself away in
    /// `Host`, and it does not know the `state`.
    func reply(_ expected: Expected) -> LoopbackReply {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == expected.path else { return .notFound }
        guard hosts == [expected.authority] else { return .misdirected }
        guard method == .GET else { return .wrongMethod }
        guard parts.count == 2, !parts[1].isEmpty else { return .unexpected }
        guard let state = expected.state else { return .accepted }
        return Self.values(of: "state", in: parts[1]) == [state] ? .accepted : .unexpected
    }

    /// The values of a query's fields of a name, decoded; `nil` where one cannot be.
    static func values(of name: String, in query: Substring) -> [String?] {
        query.split(separator: "&").compactMap { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(String.init) == name else { return nil }
            return parts.dropFirst().first?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
        }
    }
}
#endif
