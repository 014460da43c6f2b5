/// Properties of a connection that are recorded for display, if ``TransportConfiguration/recordsConnectionDetails`` is set.
///
/// ```swift
/// config.transportConfiguration.recordsConnectionDetails = true
/// let response = try await client.request(request: request)
/// print(response.connection.details?.cipherSuite ?? "no TLS")  // TLS_AES_128_GCM_SHA256
/// ```
public struct ConnectionDetails: Sendable, Hashable {
    /// The numeric address and port of the client, such as `127.0.0.1:50312`.
    public var localAddress: String?

    /// The URL of the proxy, with `***` instead of its user name and password; `nil` for a direct connection.
    public var proxy: String?

    /// The name of the cipher suite in the registry of IANA, such as `TLS_AES_128_GCM_SHA256`; `nil` without TLS.
    public var cipherSuite: String?

    /// The name of the group of the key exchange, such as `X25519` (RFC 8446, section 4.2.7); `nil` without TLS 1.3.
    public var keyExchange: String?

    /// The certificates that the server sent, in DER, its own first. Their chain to a trusted authority has been verified,
    /// except by `sallyport --insecure`.
    public var certificates: [[UInt8]]

    /// Creates details. The defaults mean that a property is unknown or does not apply.
    public init(
        localAddress: String? = nil,
        proxy: String? = nil,
        cipherSuite: String? = nil,
        keyExchange: String? = nil,
        certificates: [[UInt8]] = []
    ) {
        self.localAddress = localAddress
        self.proxy = proxy
        self.cipherSuite = cipherSuite
        self.keyExchange = keyExchange
        self.certificates = certificates
    }
}
