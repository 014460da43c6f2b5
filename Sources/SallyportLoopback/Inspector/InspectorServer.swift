import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportJOSE

/// The server of a ``TrafficInspector``: a page, and the calls as JSON and as a HAR file.
final class InspectorServer: Sendable {
    private let recorder: TrafficRecorder
    private let port = LoopbackPort()
    /// The secret first component of all paths.
    private let token = Base64Url.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) })

    init(_ recorder: TrafficRecorder) {
        self.recorder = recorder
    }

    /// Binds the port and accepts connections.
    ///
    /// - Returns: The URL of the page.
    func start(on number: Int) async throws(NetworkError) -> String {
        guard (0...65_535).contains(number) else { throw .invalidRequest("a port is a number from 0 to 65535") }
        // The authority is known when the port is bound, and connections are accepted later.
        let authority = port.eventLoop.makePromise(of: String.self)
        do {
            let name = try await port.listen(on: number) { [self] received in
                authority.futureResult.flatMap { self.respond(to: received, authority: $0) }
            }
            authority.succeed(name)
            try await port.accept()
            return "http://\(name)/\(token)/"
        } catch {
            authority.fail(error)
            await port.close()
            throw .loopbackPort(number, purpose: "cannot show the traffic", error)
        }
    }

    func close() async { await port.close() }

    /// Returns the response to a request. Creating it takes time for much traffic, so a thread of its own does it.
    private func respond(
        to received: LoopbackPort.Received,
        authority: String
    ) -> EventLoopFuture<LoopbackPort.Answer?> {
        NIOThreadPool.singleton.runIfActive(eventLoop: port.eventLoop) { [self] () -> LoopbackPort.Answer? in
            answer(to: received, authority: authority).answer
        }
    }

    private func answer(to received: LoopbackPort.Received, authority: String) -> InspectorResponse {
        guard case .request(let head) = received else { return .error(.badRequest) }
        // If the domain name of a web page resolves to 127.0.0.1 (DNS rebinding), the page is recognized by its `Host`.
        guard head.headers["Host"] == [authority] else { return .error(.misdirectedRequest) }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard path.count == 3, path[0].isEmpty, ConstantTime.areEqual(path[1].utf8, token.utf8) else {
            return .error(.notFound)
        }
        switch (head.method, path[2]) {
        case (.GET, ""), (.HEAD, ""): return .page(InspectorPage())
        case (.GET, "calls"): return .json { try self.calls(query: parts.dropFirst().first ?? "") }
        case (.GET, "traffic.har"): return .download("traffic.har") { try self.recorder.archive().data() }
        case (.POST, "clear"):
            recorder.clear()
            return .error(.noContent)
        case (_, ""), (_, "calls"), (_, "traffic.har"), (_, "clear"): return .error(.methodNotAllowed)
        default: return .error(.notFound)
        }
    }

    /// Returns the calls that have changed since the version in a query such as `since=7`.
    private func calls(query: Substring) throws -> Data {
        let version = query.hasPrefix("since=") ? Int(query.dropFirst("since=".count)) : nil
        return try InspectorFeed(recorder, since: version ?? 0).json()
    }
}

/// The calls of a recorder, as they are sent to the page.
struct InspectorFeed: Encodable {
    private struct Call: Encodable {
        let call: TrafficCall

        private enum CodingKeys: String, CodingKey {
            case curl
        }

        func encode(to encoder: any Encoder) throws {
            try call.encode(to: encoder)
            // The recorded values are masked already.
            let commands = call.attempts.map { attempt in
                attempt.entry.map { HttpRequest($0.request).curlDescription(showingSecrets: true) }
            }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(commands, forKey: .curl)
        }
    }

    private let version: Int
    private let first: Int
    private let calls: [Call]

    /// Creates the calls that have changed since a version of a recorder.
    init(_ recorder: TrafficRecorder, since version: Int) {
        let changes = recorder.changes(since: version)
        self.version = changes.version
        first = changes.first
        calls = changes.calls.map(Call.init)
    }

    /// Returns the calls as JSON that an HTML document may contain.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        // Bytes are compared, because a character may consist of another code point and "<".
        var json: [UInt8] = []
        for byte in try encoder.encode(self) {
            if byte == UInt8(ascii: "<") { json += "\\u003C".utf8 } else { json.append(byte) }
        }
        return Data(json)
    }
}

/// A response of the inspector.
private enum InspectorResponse {
    case page(InspectorPage)
    case json(() throws -> Data)
    case download(String, () throws -> Data)
    /// A status without content.
    case error(HTTPResponseStatus)

    var answer: LoopbackPort.Answer {
        var headers: HTTPHeaders = [
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        ]
        switch self {
        case .page(let page):
            headers.add(name: "Content-Type", value: "text/html; charset=utf-8")
            headers.add(name: "Content-Security-Policy", value: page.policy)
            return LoopbackPort.Answer(status: .ok, headers: headers, body: ByteBuffer(string: page.html))
        case .json(let make):
            headers.add(name: "Content-Type", value: "application/json")
            return Self.answer(headers, make)
        case .download(let name, let make):
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")
            return Self.answer(headers, make)
        case .error(let status):
            headers.add(name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'")
            return LoopbackPort.Answer(status: status, headers: headers, body: ByteBuffer())
        }
    }

    private static func answer(_ headers: HTTPHeaders, _ make: () throws -> Data) -> LoopbackPort.Answer {
        guard let data = try? make() else { return InspectorResponse.error(.internalServerError).answer }
        return LoopbackPort.Answer(status: .ok, headers: headers, body: ByteBuffer(bytes: data))
    }
}
