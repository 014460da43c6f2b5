import Sallyport

/// Where secrets may be sent to.
package enum EndpointAddress {
    /// What is wrong with a URL, if anything: it has to be `https`, or `http` on this machine.
    package static func problem(with url: String) -> String? {
        guard let head = try? HttpRequest(url: url).head(), let origin = try? Origin(of: head) else {
            return "it is no URL of http or https"
        }
        if origin.scheme == .http, !isLoopback(origin.host) { return "it is not https" }
        return nil
    }

    /// Whether a host is this machine by its name alone, whatever a resolver says.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
