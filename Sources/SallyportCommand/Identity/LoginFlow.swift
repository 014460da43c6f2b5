import Foundation
import Sallyport
import SallyportOAuth

/// One way to tokens, walked with the person at the terminal.
struct LoginFlow: Sendable {
    let session: ProfileSession
    let options: FlowOptions

    private var client: OAuthClient { session.client }

    func tokens() async throws -> OAuthTokens {
        switch session.profile.flow {
        case .browser: try await throughBrowser()
        case .device: try await throughDevice()
        case .clientCredentials: try await client.clientCredentialsTokens()
        case .exchange: try await exchanged()
        }
    }

    private func throughBrowser() async throws -> OAuthTokens {
        let browser = SystemBrowser(
            port: options.redirectURI.port,
            path: options.redirectURI.path,
            timeout: .seconds(options.timeout)
        )
        let parameters = Dictionary(options.parameter.map { ($0.name, $0.value) }) { _, last in last }
        let request = Locked<AuthorizationRequest?>(nil)
        let callback = try await browser.authorize { redirectURI in
            let made = try await client.authorizationRequest(redirectURI: redirectURI, parameters: parameters)
            request.withLock { $0 = made }
            return made.url
        }
        guard let request = request.withLock({ $0 }) else { throw CommandFailure(.other, "the browser was not asked") }
        return try await client.tokens(from: callback, for: request)
    }

    private func throughDevice() async throws -> OAuthTokens {
        let device = try await client.deviceAuthorization()
        let url = device.verificationURIComplete ?? device.verificationURI
        if StandardError.isTerminal, let code = QRCodeText.make(url, columns: Terminal.columns(of: STDERR_FILENO)) {
            StandardError.print(code)
        }
        StandardError.print(
            "On any device, open \(device.verificationURI) and enter the code \(device.userCode).\nWaiting …"
        )
        return try await client.tokens(for: device)
    }

    private func exchanged() async throws -> OAuthTokens {
        let path = options.subjectToken ?? "-"
        let source = path == "-" ? InputSource.standardInput : .file(path)
        let token = String(decoding: try source.data(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if token.isEmpty { throw CommandFailure(.unreadableInput, "there is no token in \(path)") }
        var exchange = TokenExchange(subjectToken: token, audience: session.profile.audience)
        if !session.profile.scopes.isEmpty { exchange.scopes = session.profile.scopes }
        return try await client.exchange(exchange).tokens
    }
}
