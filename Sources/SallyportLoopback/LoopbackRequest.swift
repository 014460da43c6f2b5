#if os(Linux) || os(macOS)
import Foundation
import NIOHTTP1
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// The parts of a request that decide whether it is the expected callback of the authorization endpoint.
struct LoopbackRequest {
    /// The properties of the expected callback.
    struct Expected: Sendable {
        let authority: String
        let path: String
        let state: String
    }

    let method: HTTPMethod
    let target: String
    let hosts: [String]

    init(_ head: HTTPRequestHead) {
        method = head.method
        target = head.uri
        hosts = head.headers["Host"]
    }

    /// Returns the response to this request.
    ///
    /// Other programs and web pages do not know the `state`. If the domain name of a web page resolves to 127.0.0.1 (DNS
    /// rebinding), the page is recognized by its `Host`.
    func response(_ expected: Expected) -> LoopbackServer.Response {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == expected.path else { return .notFound }
        guard hosts == [expected.authority] else { return .misdirected }
        guard method == .GET else { return .wrongMethod }
        guard parts.count == 2, !parts[1].isEmpty else { return .unexpected }
        let states = Self.values(of: "state", in: parts[1])
        guard states.count == 1, let state = states[0] else { return .unexpected }
        return ConstantTime.areEqual(state.utf8, expected.state.utf8) ? .accepted : .unexpected
    }

    /// The error that an authorization response reports, or a description of one without an error; `nil` if the request is none.
    ///
    /// The text is short and safe to show. Any program of this computer could have sent it.
    var authorizationResponse: String? {
        let parts = target.prefix(8192).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let pairs = parts.count > 1 ? QueryText.pairs(of: parts[1]) : []
        func value(_ name: String) -> String? {
            pairs.first { $0.name == name }.map { SanitizedText.make(from: $0.value) }
        }
        if let error = value("error") {
            return error + (value("error_description").map { ": \($0)" } ?? "")
        }
        return pairs.contains { ["code", "state"].contains($0.name) } ? "it reports no error" : nil
    }

    /// Returns the decoded values of a query parameter, with `nil` for each value that cannot be decoded.
    private static func values(of name: String, in query: Substring) -> [String?] {
        query.split(separator: "&").compactMap { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(String.init) == name else { return nil }
            return parts.dropFirst().first?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
        }
    }
}
#endif
