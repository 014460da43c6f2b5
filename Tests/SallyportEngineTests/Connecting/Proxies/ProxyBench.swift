import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import TransportConformance

/// Makes calls with an engine that uses a proxy.
struct ProxyBench: Sendable {
    /// The response to a call.
    struct Answer: Sendable {
        let status: Int
        let text: String
        let connection: ConnectionFacts
    }

    /// The certificate authority that issues the servers' certificates and that the engines trust.
    let authority: TestAuthority
    let tls: ServerTLS

    init() throws {
        authority = try TestAuthority()
        tls = ServerTLS(identity: try authority.serverIdentity())
    }

    func engine(
        _ proxy: String,
        except: [String] = [],
        versions: HTTPVersionPolicy = .automatic,
        overrides: [AddressOverride] = []
    ) throws -> Engine {
        let configuration = TransportConfiguration(
            security: TransportSecurity(trustRoots: .pem(authority.certificatePEM)),
            httpVersions: versions,
            addressOverrides: overrides,
            proxy: .proxy(try Proxy(proxy), except: except)
        )
        return Engine(configuration: configuration)
    }

    static func get(
        _ url: String,
        by engine: Engine,
        fields: HTTPFields = [:],
        timeouts: Timeouts = .patient
    ) async throws -> Answer {
        let parts = url.split(separator: "/", maxSplits: 3).map(String.init)
        let head = HTTPRequest(
            method: .get,
            scheme: String(parts[0].dropLast()),
            authority: parts[1],
            path: "/" + (parts.count > 2 ? parts[2] : ""),
            headerFields: fields
        )
        return try await engine.send(TransportRequest(head: head, timeouts: timeouts)) { response in
            let body = try await response.body.collect(upTo: 1_000_000)
            let text = String(decoding: body, as: UTF8.self)
            return Answer(status: response.head.status.code, text: text, connection: response.connection)
        }
    }

    /// Returns the error of a call that must fail.
    static func failure(
        _ url: String,
        by engine: Engine,
        fields: HTTPFields = [:],
        timeouts: Timeouts = .patient
    ) async throws -> NetworkError {
        do {
            let answer = try await get(url, by: engine, fields: fields, timeouts: timeouts)
            throw UnexpectedSuccess(answer: answer)
        } catch let error as NetworkError {
            return error
        }
    }

    struct UnexpectedSuccess: Error {
        let answer: Answer
    }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}
