import Foundation
import Sallyport
import SallyportGateway
import SallyportResource

extension DemoStage {
    /// Returns the settings of an app that pins the key of the development authority.
    func resourceSettings(of server: String) -> ConfigModel {
        var model = ConfigModel(
            appIdentifier: "com.example.app",
            appVersion: "1.0",
            baseURL: server,
            resourceBaseURL: server + "/resources/"
        )
        model.certificates = [authority.certificatePEM]
        // The demo may itself run in a debugger.
        model.integrityChecks = []
        return model
    }

    /// Returns a client for resource calls, which registers no device.
    func resourceClient(
        _ model: ConfigModel,
        http: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws -> ResourceClient {
        try ResourceClient(model, stores: .memory()) { config in
            config.trust(authority)
            http(&config)
        }
    }
}

extension HttpClientConfiguration {
    /// Trusts the servers of a development authority, which the system does not trust.
    mutating func trust(_ authority: DevelopmentAuthority) {
        transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
    }
}

extension ResourceRequest {
    /// Returns a GET request.
    static func demo(_ path: String) -> ResourceRequest { ResourceRequest(path: path, method: .get) }
}

/// A request for a resource, as the server describes it in its response.
struct DemoResource: Decodable {
    struct Token: Decodable {
        let sub: String
    }

    /// Names in lower case.
    let headers: [String: [String]]
    let body: String
    /// The claims of the token; `nil` if there was none, or none is needed.
    let token: Token?

    init(_ response: ResourceResponse) throws {
        self = try JSONDecoder().decode(DemoResource.self, from: response.data ?? Data())
    }
}

/// Returns the error of a call that must fail. If the call succeeds, fails the step.
func resourceError(
    expecting expectation: String,
    _ call: () async throws -> ResourceResponse
) async throws -> ResourceError {
    do {
        _ = try await call()
    } catch let error as ResourceError {
        return error
    }
    throw DemoMismatch(description: "expected \(expectation)")
}
