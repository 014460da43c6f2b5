import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import SallyportTransfers

/// A mock server of one file, with ranges and validators, whose responses a test can change.
final class FileServer: Sendable {
    /// A change of the response to one request.
    typealias Change = @Sendable (inout MockResponse) -> Void

    struct State {
        var bytes: [UInt8]
        var tag: String?
        var hasRanges = true
        var changes: [Change] = []
        /// The changes of the responses to ranges with an end, as requests for segments are while nothing else is
        /// present.
        var refusal: Change?
        /// The size of the chunks of a body.
        var chunk = 65_536
    }

    let state: Locked<State>

    /// - Parameter changes: The changes of the first responses.
    init(_ bytes: [UInt8], tag: String? = "\"a\"", _ changes: Change...) {
        state = Locked(State(bytes: bytes, tag: tag, changes: changes))
    }

    /// Returns a client for the server.
    func client(_ configure: (inout HttpClientConfiguration) -> Void = { _ in }) -> (HttpClient, MockTransport) {
        let transport = MockTransport { [self] request in answer(to: request) }
        let client = HttpClient.createClient { config in
            config.transport = transport
            configure(&config)
        }
        return (client, transport)
    }

    private func answer(to request: MockRequest) -> MockResponse {
        state.withLock { state in
            var response = Self.answer(to: request, state)
            response.fault = .drip(bytes: state.chunk)
            if !state.changes.isEmpty { state.changes.removeFirst()(&response) }
            if request.header("Range")?.hasSuffix("-") == false { state.refusal?(&response) }
            return response
        }
    }

    private static func answer(to request: MockRequest, _ state: State) -> MockResponse {
        var response = MockResponse(headers: [.acceptRanges: state.hasRanges ? "bytes" : "none"])
        if let tag = state.tag { response.headers[.eTag] = tag }
        let total = state.bytes.count
        guard state.hasRanges, let range = request.header("Range"), range.hasPrefix("bytes="),
            request.header("If-Range").map({ $0 == state.tag }) ?? true
        else {
            response.body = Data(state.bytes)
            return response
        }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        let first = Int(ends[0]) ?? 0
        let last = min(Int(ends[1]) ?? total - 1, total - 1)
        guard first < total else {
            response.status = .rangeNotSatisfiable
            response.headers[.contentRange] = "bytes */\(total)"
            return response
        }
        response.status = .partialContent
        response.headers[.contentRange] = "bytes \(first)-\(last)/\(total)"
        response.body = Data(state.bytes[first...last])
        return response
    }
}

/// Returns a change that ends a response after a number of bytes.
func cut(_ count: Int) -> FileServer.Change { { $0.fault = .cut(after: count) } }

/// A change that leaves a response as it is.
let asItIs: FileServer.Change = { _ in }

extension HttpClient {
    /// Downloads to `map.zip` in a folder; retries do not wait.
    func download(
        to folder: URL,
        attempts: Int = 1,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) -> Transfer<DownloadedFile> {
        var options = DownloadOptions()
        options.retry = .constant(attempts: attempts, delay: .zero)
        change(&options)
        let request = makeRequest("https://files.example.com/map.zip?key=secret")
        return download(request, to: .file(folder.appendingPathComponent("map.zip")), options: options)
    }
}
