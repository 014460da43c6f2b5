import Foundation
import Sallyport
import SallyportJourney
import SallyportLoopback
import SallyportOAuth

/// Obtains tokens by the flow of a profile.
struct LoginFlow: Sendable {
    let session: ProfileSession
    let options: FlowOptions
    let journeyOptions: JourneyOptions

    private var client: OAuthClient { session.client }

    func tokens() async throws -> OAuthTokens {
        switch session.profile.flow {
        case .browser: try await signInWithBrowser()
        case .device: try await signInWithDevice()
        case .clientCredentials: try await client.clientCredentialsTokens()
        case .exchange: try await exchangeToken()
        case .journey: try await signInWithTree()
        }
    }

    private func signInWithBrowser() async throws -> OAuthTokens {
        let browser = SystemBrowser(options.loopbackAddress, timeout: .seconds(options.timeLimit))
        return try await client.signIn(with: browser, parameters: parameters)
    }

    /// The additional parameters of the authorization request.
    private var parameters: [String: String] {
        Dictionary(options.parameter.map { ($0.name, $0.value) }) { _, last in last }
    }

    /// Signs in with an authentication tree, and obtains tokens with the session.
    private func signInWithTree() async throws -> OAuthTokens {
        guard let journey = session.journey else {
            throw CommandFailure(.unreadableInput, "the profile has no tree; log in with --journey and --server")
        }
        let limit = Duration.seconds(options.timeLimit)
        let dialog = try NodeDialog(session.name, answers: try await journeyOptions.answerList())
        // The limit of the complete login ends any wait before.
        let login = JourneyLogin(journey: journey, dialog: dialog, options: journeyOptions, limit: limit * 2)
        let message = "the sign-in was not completed within \(Format.time(limit)); try again, or raise --timeout"
        try await withTimeLimit(limit, orThrow: CommandFailure(.timeout, message)) { try await login.signIn() }
        guard let token = try await journey.session()?.token else {
            throw CommandFailure(.loginDenied, "the tree has ended without a session")
        }
        let credential = SessionCredential.header(name: journey.configuration.cookieName, value: token)
        return try await client.tokens(authorizedBy: credential, parameters: parameters)
    }

    private func signInWithDevice() async throws -> OAuthTokens {
        let device = try await client.deviceAuthorization()
        let url = device.verificationURIComplete ?? device.verificationURI
        if StandardError.isTerminal, let code = QRCodeText.make(url, columns: Terminal.columns(of: STDERR_FILENO)) {
            StandardError.draw(code + "\n")
        }
        StandardError.print(
            Self.instructions(
                address: device.verificationURI,
                code: device.userCode,
                complete: device.verificationURIComplete
            )
        )
        let limit = Duration.seconds(options.timeLimit)
        let message = "the code was not approved within \(Format.time(limit)); try again, or raise --timeout"
        return try await withTimeLimit(limit, orThrow: CommandFailure(.timeout, message)) {
            try await client.tokens(for: device)
        }
    }

    /// Returns the instructions for the other device. Control characters from the server are escaped.
    ///
    /// - Parameter complete: The URL that contains the code, if the server sends one (RFC 8628, section 3.3.1).
    static func instructions(address: String, code: String, complete: String?) -> String {
        let (address, code) = (VisibleText.line(address), VisibleText.line(code))
        let shortcut = complete.map { "Or open \(VisibleText.line($0)), and compare the code.\n" } ?? ""
        return "On any device, open \(address) and enter the code \(code).\n\(shortcut)Waiting …"
    }

    private func exchangeToken() async throws -> OAuthTokens {
        let path = options.subjectToken ?? "-"
        let token = try await SecretInput.text(path, kind: "token")
        var exchange = TokenExchange(subjectToken: token, audience: session.profile.audience)
        if !session.profile.scopes.isEmpty { exchange.scopes = session.profile.scopes }
        return try await client.exchange(exchange).tokens
    }
}

extension SystemBrowser {
    /// Creates an agent that starts the browser without the secrets in the command's environment.
    init(_ address: LoopbackAddress, timeout: Duration) {
        self.init(
            port: address.port,
            path: address.path,
            timeout: timeout,
            environment: EnvironmentVariable.withoutSecrets(ProcessInfo.processInfo.environment)
        )
    }
}
