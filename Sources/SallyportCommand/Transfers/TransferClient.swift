import Foundation
import Sallyport

/// The client of a command that makes transfers, and what is to be done at its end.
struct TransferClient: Sendable {
    let client: HttpClient
    private let plain: HttpClient
    private let login: Login?
    private let jar: CookieJar
    private let cookies: CookieOptions

    /// - Parameter addresses: The URLs of the requests.
    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used. Nothing has been sent then.
    init(_ options: TransferClientOptions, for addresses: [RequestURL], display: TransferDisplay) async throws {
        let authentication = options.authentication
        let jar = try options.cookies.makeJar()
        let credentials = try await authentication.given.credentials(for: addresses, scheme: authentication.scheme)
        var configuration = try await HttpClientConfiguration(
            options,
            authentication: credentials.compactMap { $0.interceptor(usingDigest: authentication.digestAuth) },
            jar: jar
        )
        configuration.timeouts = options.timeouts
        configuration.onRetry { notice in display.warn(notice.words) }
        login = try authentication.given.auth.map { name in
            try Login(name, for: addresses.map(\.text)) { $0.showExchanges(options) }
        }
        self.jar = jar
        cookies = options.cookies
        plain = HttpClient(configuration: configuration)
        client = login?.authorizing(plain) ?? plain
    }

    /// Keeps the tokens and the cookies that came, and closes the connections.
    func finish() async throws {
        await login?.session.finish()
        plain.close()
        try cookies.save(jar)
    }

    /// Why a transfer failed, with how to log in if that is what it lacks.
    func failure(_ error: TransferError, writing: Bool) -> CommandFailure {
        if case .network(let network) = error.reason, let login,
            let failure = login.explaining(network) as? CommandFailure
        {
            return failure
        }
        return CommandFailure(error, writing: writing)
    }
}

extension CommandFailure {
    /// Why a transfer failed.
    ///
    /// - Parameter writing: Whether files were written, and not read.
    init(_ error: TransferError, writing: Bool) {
        switch error.reason {
        case .network(let network): self.init(CommandFailure(network).status, error.description)
        case .status(let response):
            let advice = response.status.kind == .redirection ? "; give --follow to go where it leads" : ""
            self.init(.errorResponse, "\(response.request): the server answered \(response.status.words)\(advice)")
        case .fileExists(let url):
            let choices = "--replace replaces it, --number keeps both, and --skip-existing leaves it alone"
            self.init(.writeError, "\(url.path) is there already; \(choices)")
        case .file: self.init(writing ? .writeError : .unreadableInput, error.description)
        case .diskFull, .inUse: self.init(.writeError, error.description)
        case .mismatch: self.init(.mismatch, error.description)
        }
    }
}
