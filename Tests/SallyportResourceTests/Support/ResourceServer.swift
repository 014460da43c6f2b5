import Foundation
import Sallyport
import SallyportTesting
import SallyportTransport

@testable import SallyportResource

/// A mock identity server (`id.example.com`) and resource server (`api.example.com`), and clients of them.
///
/// Alice is a user of the first device that registers. The resource server responds to each request with the JSON of an ``Echo``, unless
/// it has a route for the path.
struct ResourceServer {
    /// The pin of the key that both servers present.
    static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    static let otherPin = "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    let transport: MockTransport
    let identity: MockDeviceServer

    init() throws {
        transport = MockTransport { request in .json(try Echo(request).json) }
        transport.present([try CertificatePin(Self.pin)])
        identity = MockDeviceServer(transport)
        identity.add("alice", to: "device-1")
    }

    /// The settings of an app that uses both servers.
    static var model: ConfigModel {
        var model = ConfigModel(
            appIdentifier: "com.example.app",
            appVersion: "2.1.0",
            baseURL: "https://id.example.com",
            resourceBaseURL: "https://api.example.com/resources/"
        )
        model.pins = ["*.example.com": [pin]]
        model.additionalResourceURLs = ["https://files.example.com"]
        model.redirectURL = "com.example.app:/callback"
        model.integrityChecks = []
        return model
    }

    /// Returns a client of the servers.
    func client(
        _ change: (inout ConfigModel) -> Void = { _ in },
        http: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws -> ResourceClient {
        var model = Self.model
        change(&model)
        return try ResourceClient(model, stores: .memory()) { config in
            config.transport = transport
            http(&config)
        }
    }

    /// The requests that the resource server has received.
    var resourceRequests: [MockRequest] { transport.requests.filter { $0.head.authority != "id.example.com" } }
}

/// A request, as the mock resource server returns it.
struct Echo: Codable {
    let method: String
    let url: String
    let headers: [String: String]
    let body: Data

    init(_ request: MockRequest) {
        method = request.method.rawValue
        url = request.url
        headers = Dictionary(
            request.head.headerFields.map { ($0.name.canonicalName, $0.value) },
            uniquingKeysWith: { "\($0), \($1)" }
        )
        body = request.body
    }

    /// Decodes the request in a response.
    init(_ response: ResourceResponse) throws {
        self = try JSONDecoder().decode(Echo.self, from: response.data ?? Data())
    }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}
