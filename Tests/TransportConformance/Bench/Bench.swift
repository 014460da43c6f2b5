import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

/// A scripted server and the transport that calls it.
struct Bench: Sendable {
    /// The address to call: that of the HTTP/2 front of the scripted server, if there is one.
    struct Address: Sendable {
        let server: ScriptedServer
        let scheme: String
        let port: Int
    }

    let address: Address
    let transport: any Transport
    let wire: ConformanceWire

    var server: ScriptedServer { address.server }
    var scheme: String { address.scheme }
    var port: Int { address.port }

    /// The host and port of the calls.
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

    /// Sends a request, and expects a text in the response.
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

    /// Returns the value of a field.
    subscript(name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    /// Returns the values of all fields with a name.
    func values(_ name: String) -> [String] {
        HTTPField.Name(name).map { fields[values: $0] } ?? []
    }
}

extension Timeouts {
    /// Timeouts for calls whose timeouts are not under test: the maximum wait of tests.
    public static let patient = Timeouts(
        resolve: .patience,
        connect: .patience,
        tls: .patience,
        total: .patience
    )
}
