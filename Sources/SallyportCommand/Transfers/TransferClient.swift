import Foundation
import Sallyport
import SallyportOAuth
import SallyportTransfers

/// The client of a command that transfers files, with the login and the cookies to store at its end.
struct TransferClient: Sendable {
    let client: HttpClient
    private let plain: HttpClient
    private let login: Login?
    private let jar: CookieJar
    private let cookies: CookieOptions

    /// - Parameter addresses: The URLs of the requests.
    /// - Throws: ``CommandFailure`` for the first option that cannot be used. In that case, nothing has been sent.
    init(_ options: any TransferClientOptions, for addresses: [RequestURL], display: TransferDisplay) async throws {
        let jar = try options.cookies.makeJar()
        let credentials = try await options.credentials.credentials(for: addresses, scheme: options.scheme.option)
        if let address = addresses.first(where: { $0.text.lowercased().hasPrefix("https:") }) {
            options.security.warnIfInsecure(for: address.text)
        }
        let verbose = options.verboseInterceptor
        var configuration = try await options.clientConfiguration(
            authentication: credentials.compactMap { $0.interceptor(usingDigest: options.scheme.digestAuth) },
            jar: jar,
            decoding: .none,
            verbose: verbose,
            profile: options.credentials.auth,
            proxyURL: try await options.proxy.urlWithUser()
        )
        configuration.timeouts = options.timeouts
        configuration.onRetry { event in display.warn(event.summary) }
        login = try options.credentials.auth.map { name in
            try Login(name, for: addresses.map(\.text)) { config in
                if let verbose { config.addWireInterceptor(verbose) }
            }
        }
        self.jar = jar
        cookies = options.cookies
        plain = HttpClient(configuration: configuration)
        client = login?.authorizing(plain) ?? plain
    }

    /// Stores refreshed tokens and cookies, and closes the connections.
    func finish() async throws {
        defer { plain.close() }
        let saved = Result { try cookies.save(jar) }
        try await login?.finish()
        try saved.get()
    }

    /// Returns the failure for the error of a transfer, with the command to log in if a login is missing.
    ///
    /// - Parameter isWriting: `true` if the transfer writes files, `false` if it reads them.
    func failure(_ error: TransferError, isWriting: Bool) -> CommandFailure {
        login?.explaining(error) as? CommandFailure ?? error.commandFailure(isWriting: isWriting)
    }
}
