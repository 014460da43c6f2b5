import ArgumentParser
import Foundation
import Sallyport

/// Through which proxy a request goes.
struct ProxyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A proxy: http://[user:password@]host:port, socks5://…, socks5h://… (which resolves names), or environment \
            for what http_proxy and the like say. (default: none)
            """,
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        name: .customLong("proxy-user-file"),
        help: ArgumentHelp(
            "The user and the password for the proxy, as user:password in a file or on standard input (-).",
            valueName: "file"
        ),
        completion: .file()
    )
    var userFile: String?

    @Option(
        name: .customLong("noproxy"),
        help: ArgumentHelp("Hosts, domains and networks to call past the proxy, as in NO_PROXY.", valueName: "list")
    )
    var exceptions: String?

    func validate() throws {
        if exceptions != nil, proxy == nil || proxy == Self.environment {
            throw ValidationError("--noproxy goes with the URL of a --proxy; for the environment, set no_proxy.")
        }
        if userFile != nil, proxy == nil || proxy == Self.environment {
            throw ValidationError("--proxy-user-file goes with the URL of a --proxy.")
        }
        if userFile != nil, let proxy, (try? Proxy(proxy))?.credentials != nil {
            throw ValidationError("Only one of the URL of --proxy and --proxy-user-file can name a user.")
        }
        do throws(NetworkError) {
            _ = try policy(for: proxy)
        } catch {
            throw ValidationError("--proxy: \(error)")
        }
    }

    /// The options that read standard input.
    var standardInputUses: [String] { userFile == "-" ? ["--proxy-user-file"] : [] }

    /// Returns the proxies for requests. Call it once only, as the proxy's user may be read from standard input.
    ///
    /// - Throws: ``CommandFailure``, `NetworkError`, `CancellationError`.
    func policy() async throws -> ProxyPolicy { try policy(for: try await proxyWithUser()) }

    /// Returns the proxies for requests if `--proxy` has a value.
    func policy(for proxy: String?) throws(NetworkError) -> ProxyPolicy {
        switch proxy {
        case nil: .direct
        case Self.environment: .environment
        case let url?: .proxy(try Proxy(url), except: exceptions.map { [$0] } ?? [])
        }
    }

    /// Returns the options of curl with the same meaning. Without any, curl follows the environment.
    func curlWords(showingSecrets: Bool) async -> [String] {
        guard let url = showingSecrets ? try? await proxyWithUser() : proxy,
            case .proxy(let parsed, _) = try? policy(for: url)
        else {
            return []
        }
        let user = userFile != nil && !showingSecrets ? ["--proxy-user", "***"] : []
        return ["--proxy", showingSecrets ? url : "\(parsed)"] + user + (exceptions.map { ["--noproxy", $0] } ?? [])
    }

    /// Returns the URL of the proxy, with the user and the password from the file.
    private func proxyWithUser() async throws -> String? {
        guard let userFile, let proxy, let mark = proxy.firstRange(of: "://") else { return proxy }
        let user = UserAndPassword(try await SecretInput.text(userFile, what: "user and password of the proxy"))
        guard let password = user.password else {
            throw CommandFailure(.usage, "--proxy-user-file needs a user and a password with a colon between them")
        }
        let parts = [user.name, password].compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
        return proxy[..<mark.upperBound] + parts.joined(separator: ":") + "@" + proxy[mark.upperBound...]
    }

    private static let environment = "environment"
}
