import ArgumentParser
import Foundation
import Sallyport

/// The options for the proxy of a request.
struct ProxyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The proxy: http://host:port, https://…, socks5://…, socks5h://… (the proxy resolves names), or environment. \
            (default: environment, the proxy in http_proxy, https_proxy or all_proxy, except for the hosts in no_proxy)
            """,
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        name: .customLong("proxy-user-file"),
        help: ArgumentHelp(
            "The user and password for the proxy, as user:password in a file or on standard input (-).",
            valueName: "file"
        ),
        completion: .file()
    )
    var userFile: String?

    @Option(
        name: .customLong("proxy-cacert"),
        help: ArgumentHelp(
            "Trust only the authorities in a file of PEM certificates for an https proxy. (default: those of --cacert)",
            valueName: "file"
        ),
        completion: .file()
    )
    var authorities: String?

    @Option(
        name: .customLong("noproxy"),
        help: ArgumentHelp(
            "Hosts, domains and networks to connect to without a proxy, instead of those in no_proxy; * for all.",
            valueName: "list"
        )
    )
    var exceptions: String?

    @Flag(name: .customLong("no-proxy"), help: "Use no proxy, not even one of the environment.")
    var isDisabled = false

    func validate() throws {
        if isDisabled, let option = proxy != nil ? "--proxy" : exceptions != nil ? "--noproxy" : nil {
            throw ValidationError("Only one of --no-proxy and \(option) can be used.")
        }
        if let option = userFile != nil ? "--proxy-user-file" : authorities != nil ? "--proxy-cacert" : nil,
            ["", ProxyPolicy.environmentArgument].contains(proxy ?? "")
        {
            throw ValidationError("\(option) needs --proxy with a URL.")
        }
        if userFile != nil, let proxy, (try? Proxy(proxy))?.credentials != nil {
            throw ValidationError("Only one of --proxy-user-file and the URL of --proxy can specify a user.")
        }
        do throws(NetworkError) {
            _ = try ProxyPolicy(argument: proxy, exceptions: exceptions)
        } catch {
            throw ValidationError("--proxy: \(error)")
        }
    }

    /// The options that read standard input.
    var standardInputUses: [String] { userFile == "-" ? ["--proxy-user-file"] : [] }

    /// Returns the proxy policy for requests.
    ///
    /// - Parameter url: The result of ``urlWithUser()``.
    /// - Throws: A failure that names a file that cannot be used.
    func policy(_ url: String?) throws -> ProxyPolicy {
        if isDisabled { return .direct }
        let policy = try ProxyPolicy(argument: url, exceptions: exceptions)
        guard let authorities, case .proxy(var proxy, let except) = policy else { return policy }
        proxy.trustRoots = try TransportSecurity(authorities: authorities).trustRoots
        return .proxy(proxy, except: except)
    }

    /// Returns curl's arguments for the proxy. Without any, curl uses the environment.
    ///
    /// - Parameter url: The result of ``urlWithUser()``.
    func curlArguments(_ url: String?, showingSecrets: Bool) -> [String] {
        if isDisabled { return ["--noproxy", "*"] }
        let except = exceptions.map { ["--noproxy", $0] } ?? []
        guard let url, case .proxy(let parsed, _) = try? policy(showingSecrets ? url : proxy) else { return except }
        let user = userFile != nil && !showingSecrets ? ["--proxy-user", "***"] : []
        let trusted = authorities.map { ["--proxy-cacert", $0] } ?? []
        return ["--proxy", showingSecrets ? url : "\(parsed)"] + user + trusted + except
    }

    /// Returns the value of `--proxy`, with the user and password from the file. Call it only once, because they may be
    /// read from standard input.
    ///
    /// - Throws: ``CommandFailure``, `CancellationError`.
    func urlWithUser() async throws -> String? {
        guard let userFile, let proxy, let mark = proxy.firstRange(of: "://") else { return proxy }
        let user = UserAndPassword(try await SecretInput.text(userFile, kind: "user and password of the proxy"))
        guard let password = user.password else {
            throw CommandFailure(.usage, "--proxy-user-file needs a user and a password, separated by a colon")
        }
        let parts = [user.name, password].compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
        return proxy[..<mark.upperBound] + parts.joined(separator: ":") + "@" + proxy[mark.upperBound...]
    }
}

extension ProxyPolicy {
    /// The value of `--proxy` that selects the proxies of the environment.
    fileprivate static let environmentArgument = "environment"

    /// Creates the policy for a value of `--proxy`.
    ///
    /// - Parameters:
    ///   - argument: The URL of a proxy; `nil` or `environment` for the proxies of the environment; empty for no proxy.
    ///   - exceptions: The servers to connect to without a proxy, as in `NO_PROXY`.
    init(argument: String?, exceptions: String? = nil) throws(NetworkError) {
        switch argument {
        #if !os(Linux)
        // URLSession uses the system's proxies.
        case nil: self = .direct
        #endif
        case nil, Self.environmentArgument: self = exceptions.map { .environmentExcept([$0]) } ?? .environment
        case "": self = .direct
        case let url?: self = .proxy(try Proxy(url), except: exceptions.map { [$0] } ?? [])
        }
    }
}
