import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport

/// Returns a step that sends a complete response.
func respond(_ body: String = "", status: String = "200 OK", _ fields: String...) -> ScriptStep {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)"]
    return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
}

/// Returns a request to a server.
func makeRequest(
    _ origin: String,
    _ path: String,
    _ method: HTTPRequest.Method = .get,
    _ fields: HTTPFields = [:],
    body: RequestBody = .none
) -> TransportRequest {
    let parts = origin.components(separatedBy: "://")
    let head = HTTPRequest(
        method: method,
        scheme: parts[0],
        authority: parts[1],
        path: path,
        headerFields: fields
    )
    return TransportRequest(head: head, body: body)
}

extension RequestBody {
    /// Returns a body in memory.
    static func text(_ text: String) -> RequestBody { .data(Data(text.utf8)) }
}

extension Transport {
    /// Sends a request, and returns the body of its response.
    func text(_ request: TransportRequest) async throws -> String {
        try await send(request) { response in
            String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        }
    }

    /// Sends a GET request to a server that does not exist, and returns the body of its response.
    func text(_ path: String) async throws -> String {
        try await text(makeRequest("https://api.example.com", path))
    }
}

/// Records calls to a server with a script, and returns its origin.
///
/// - Parameters:
///   - file: The file of the recording.
///   - script: The script for all connections.
///   - calls: Makes calls to the server with the given origin.
@discardableResult
func record(
    _ file: URL,
    _ script: Script,
    configure: @escaping @Sendable (inout RecordingOptions) -> Void = { _ in },
    _ calls: @escaping @Sendable (RecordingTransport, String) async throws -> Void
) async throws -> String {
    try await withScriptedServer([script]) { server in
        let transport = try RecordingTransport(file: file) { options in
            options.mode = .all
            configure(&options)
        }
        let origin = "http://\(server.authority)"
        try await calls(transport, origin)
        try await transport.finish()
        return origin
    }
}

/// Returns a transport that replays a file.
func replay(
    _ file: URL,
    configure: (inout RecordingOptions) -> Void = { _ in }
) throws -> RecordingTransport {
    try RecordingTransport(file: file) { options in
        options.mode = .none
        configure(&options)
    }
}

/// Writes an archive with entries of the given methods, URLs, bodies of requests and of responses.
func writeArchive(_ file: URL, _ calls: [(String, String, String, String)]) throws {
    let entries = calls.map { method, url, body, response in
        HttpArchive.Entry(
            startedDateTime: Date(timeIntervalSince1970: 1_800_000_000),
            time: 12,
            request: HttpArchive.Request(
                method: method,
                url: url,
                postData: body.isEmpty ? nil : .init(mimeType: "application/json", text: body)
            ),
            response: HttpArchive.Response(
                status: 200,
                content: .init(mimeType: "text/plain", data: Data(response.utf8))
            )
        )
    }
    try HttpArchive(entries: entries).data().write(to: file)
}

extension [RecordingMismatch] {
    /// The descriptions, on several lines.
    var text: String { map(\.description).joined(separator: "\n") }
}
