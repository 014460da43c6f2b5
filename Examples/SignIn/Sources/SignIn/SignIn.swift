import Foundation
import Sallyport
import SallyportLoopback
import SallyportOAuth

/// Signs the user in once, and then calls an API with the stored tokens, which are refreshed when they are due.
@main
struct SignIn {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let issuer = environment["ISSUER"] ?? "http://127.0.0.1:8080"
        let api = environment["API"] ?? "\(issuer)/protected"
        let tokens = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config/sign-in/tokens.json")

        let server = OAuthClient(issuer: issuer, clientID: environment["CLIENT"] ?? "pub") { config in
            config.scopes = ["openid", "profile", "offline_access", "api"]
        }
        let session = OAuthSession(refresher: server, store: FileTokenStore(at: tokens))

        switch CommandLine.arguments.dropFirst().first {
        case "login":
            try await session.save(try await server.signIn(with: SystemBrowser()))
            print("Signed in.")
        case "device":
            let device = try await server.deviceAuthorization()
            print("Open \(device.verificationURI) on any device, and enter \(device.userCode)")
            try await session.save(try await server.tokens(for: device))
            print("Signed in.")
        case "logout":
            // The tokens are removed here in any case. The result is the error if the server did not revoke them.
            if let error = try await session.logout() { print("The server did not revoke the tokens: \(error)") }
            print("Signed out.")
        default:
            try await call(api, with: session)
        }
        try await session.finish(within: .seconds(2))
    }

    /// Prints the response of the API.
    private static func call(_ url: String, with session: OAuthSession) async throws {
        let client = HttpClient.createClient().authorized(by: session, for: url)
        do {
            let response = try await client.request { request in request.url = url }
            print(response.status, response.bodyAsString())
        } catch {
            print("\(error)\nTo sign in: swift run sign-in login")
        }
    }
}
