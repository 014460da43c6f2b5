import Foundation

/// A policy made ready to be asked: which proxy for which server.
package struct ProxyRules: Sendable {
    private let http: Result<Proxy?, NetworkError>
    private let https: Result<Proxy?, NetworkError>
    private let exceptions: ProxyExceptions

    /// - Parameter environment: Asked only where the policy is the environment's.
    package init(
        _ policy: ProxyPolicy,
        environment: () -> [String: String] = { ProcessInfo.processInfo.environment }
    ) {
        switch policy {
        case .direct:
            (http, https, exceptions) = (.success(nil), .success(nil), ProxyExceptions(""))
        case .proxy(let proxy, let names):
            (http, https) = (.success(proxy), .success(proxy))
            exceptions = ProxyExceptions(names.joined(separator: ","))
        case .environment:
            let variables = environment()
            http = Self.proxy(in: ["http_proxy", "all_proxy", "ALL_PROXY"], of: variables)
            https = Self.proxy(in: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], of: variables)
            exceptions = ProxyExceptions(Self.first(of: ["no_proxy", "NO_PROXY"], in: variables)?.value ?? "")
        }
    }

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming the variable whose value is no proxy.
    package func proxy(for origin: Origin) throws(NetworkError) -> Proxy? {
        let proxy = origin.scheme == .https ? https : http
        if case .success(nil) = proxy { return nil }
        return exceptions.contains(origin) ? nil : try proxy.get()
    }

    private static func proxy(in names: [String], of variables: [String: String]) -> Result<Proxy?, NetworkError> {
        guard let (name, value) = first(of: names, in: variables) else { return .success(nil) }
        do throws(NetworkError) {
            return .success(try Proxy(value.contains("://") ? value : "http://" + value))
        } catch {
            var named = error
            named.failure.reason = "the environment variable \(name) cannot be used: \(error.failure.reason)"
            return .failure(named)
        }
    }

    private static func first(of names: [String], in variables: [String: String]) -> (name: String, value: String)? {
        for name in names {
            if let value = variables[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
