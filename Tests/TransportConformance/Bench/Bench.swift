import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

/// A scripted server and the transport that calls it.
struct Bench: Sendable {
    /// Where a server is called: at the front of the scripted server, where there is one.
    struct Place: Sendable {
        let server: ScriptedServer
        let scheme: String
        let port: Int
    }

    let place: Place
    let transport: any Transport
    let wire: ConformanceWire

    var server: ScriptedServer { place.server }
    var scheme: String { place.scheme }
    var port: Int { place.port }

    /// The host and port that are called.
    var authority: String { "127.0.0.1:\(port)" }

    /// A request to the server.
    func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        timeouts: Timeouts = .patient
    ) -> TransportRequest {
        let head = HTTPRequest(
            method: method,
            scheme: scheme,
            authority: authority,
            path: path,
            headerFields: fields
        )
        return TransportRequest(head: head, body: body, timeouts: timeouts)
    }

    /// Sends a request, and reads its response to the end.
    func answer(_ request: TransportRequest) async throws -> Answer {
        try await transport.send(request) { response in
            let body = try await response.body.collect(upTo: 1 << 28)
            return Answer(response: response, body: body)
        }
    }

    /// Sends a plain GET, and reads its response to the end.
    func answer(_ path: String = "/") async throws -> Answer {
        try await answer(request(.get, path))
    }

    /// Sends a request, and expects a text in answer.
    func expectText(
        _ text: String,
        from request: TransportRequest? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await answer(request ?? self.request())
        #expect(answer.text == text, sourceLocation: sourceLocation)
    }
}

/// A response that has been read to its end.
struct Answer: Sendable {
    let response: TransportResponse
    let body: Data

    var status: Int { response.head.status.code }
    var fields: HTTPFields { response.head.headerFields }
    var text: String { String(decoding: body, as: UTF8.self) }
    var trailers: HTTPFields { response.body.trailers }

    /// The value of a field, by its name.
    subscript(name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    /// The values of all fields of a name.
    func values(_ name: String) -> [String] {
        HTTPField.Name(name).map { fields[values: $0] } ?? []
    }
}
