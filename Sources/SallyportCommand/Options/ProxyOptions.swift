import ArgumentParser
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
        name: .customLong("noproxy"),
        help: ArgumentHelp("Hosts, domains and networks to call past the proxy, as in NO_PROXY.", valueName: "list")
    )
    var exceptions: String?

    func validate() throws {
        if exceptions != nil, proxy == nil || proxy == Self.environment {
            throw ValidationError("--noproxy goes with the URL of a --proxy; for the environment, set no_proxy.")
        }
        do throws(NetworkError) {
            _ = try policy()
        } catch {
            throw ValidationError("--proxy: \(error)")
        }
    }

    func policy() throws(NetworkError) -> ProxyPolicy {
        switch proxy {
        case nil: .direct
        case Self.environment: .environment
        case let url?: .proxy(try Proxy(url), except: exceptions.map { [$0] } ?? [])
        }
    }

    /// The options of curl that say the same. Without any, curl follows the environment.
    func curlWords(showingSecrets: Bool) -> [String] {
        guard let proxy, case .proxy(let parsed, _) = try? policy() else { return [] }
        return ["--proxy", showingSecrets ? proxy : "\(parsed)"] + (exceptions.map { ["--noproxy", $0] } ?? [])
    }

    private static let environment = "environment"
}
