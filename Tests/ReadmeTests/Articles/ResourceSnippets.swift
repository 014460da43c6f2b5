import Foundation
import Sallyport
import SallyportLoopback
import SallyportResource

// The Swift blocks of the documentation of SallyportResource that are not in the README; see ReadmeTests.

// SallyportResource.md

private func accounts(file: URL) async throws -> ResourceResponse {
    try ResourceClient.configure(ConfigModel(contentsOf: file))
    let request = ResourceRequestFactory.makeResourceRequest(path: "accounts")
    let accounts = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
    return accounts
}

// Secured-Resource-Access.md

private func configured(model: ConfigModel, authority: String) throws -> ResourceClient {
    let client = try ResourceClient(model) { config in
        config.transportConfiguration.security.trustRoots = .pem(authority)
        config.logger = LogManager.standard
    }
    return client
}

#if os(Linux) || os(macOS)
private func registered() async throws {
    let signIn = BrowserSignIn(SystemBrowser())
    let user = try await SharedUserClient.instance.registerUser(with: signIn, scopes: ["accounts"])
    try await deregistered(user)
}
#endif

private func called() async throws -> [Any] {
    struct Account: Decodable {
        var name: String
    }

    let request = ResourceRequestFactory.makeResourceRequest(path: "accounts", parameters: ["page": 2])
    let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
    let accounts = try JSONDecoder().decode([Account].self, from: response.data ?? Data())
    return accounts
}

private func deregistered(_ user: String) async throws {
    try await SharedUserClient.instance.deregisterUser(user)  // a user of this device, with the user's tokens
    try await SharedDeviceClient.instance.resetDevice()  // the device itself, with all users, keys and tokens
}
