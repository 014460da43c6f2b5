import Sallyport

/// The rules for the URLs that secrets are sent to.
package enum EndpointAddress {
    /// Returns the reason why secrets must not be sent to a URL, or `nil` if they may be.
    ///
    /// The URL must be `https`, or `http` with a loopback host. When a request to such an `http` URL is sent,
    /// `HttpRequest.requiresSecureTransport` ensures that it goes directly to a loopback address.
    ///
    /// - Parameters:
    ///   - url: The URL of an issuer, an endpoint or an API.
    ///   - issuer: The issuer that states the URL in its metadata, if any. The URLs of an `https` issuer must be `https` even on
    ///     loopback, because any program on this computer may listen there.
    package static func problem(with url: String, of issuer: String? = nil) -> String? {
        guard let origin = origin(of: url) else { return "it is not an http or https URL" }
        if origin.scheme == .https { return nil }
        if let issuer, self.origin(of: issuer)?.scheme != .http { return "it is not https, and the issuer is" }
        return origin.isLoopback ? nil : "it is not https"
    }

    private static func origin(of url: String) -> Origin? {
        guard let head = try? HttpRequest(url: url).head() else { return nil }
        return try? Origin(of: head)
    }
}
