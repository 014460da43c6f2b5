import HTTPTypes
import Hummingbird
import NIOCore
import Sallyport

/// Refuses requests for hosts that the gateway does not serve.
///
/// A web page whose domain name resolves to the gateway's address (DNS rebinding) has the same origin as the gateway's
/// responses, and could read them. Its requests carry that domain name in `Host`.
@available(macOS 14, iOS 17, tvOS 17, *)
struct HostMiddleware: RouterMiddleware {
    /// The hosts that are served on every connection.
    let hosts: [HostPattern]

    func handle(
        _ request: Request,
        context: GatewayContext,
        next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        // The authority is the first Host field of HTTP/1.1, or the :authority of HTTP/2. Further Host fields remain in
        // the headers.
        let hasAnotherHost = request.headers.contains { $0.name.canonicalName == "host" }
        guard let authority = request.head.authority, !hasAnotherHost else {
            throw HTTPError(.badRequest, message: "A request needs exactly one Host header.")
        }
        guard let host = HostAndPort(authority[...])?.host else {
            throw HTTPError(.badRequest, message: "The Host header is not a host with an optional port.")
        }
        guard serves(host, on: context.channel.localAddress?.ipAddress) else {
            throw HTTPError(
                .misdirectedRequest,
                message:
                    "The gateway does not serve this host. Call it by the URL that it printed at its start, or allow "
                    + "the host: sallyport serve --allow-host NAME, or GatewayConfiguration.allowedHosts."
            )
        }
        return try await next(request, context)
    }

    /// Returns `true` for the configured hosts, the address that the client has connected to, and loopback addresses; on
    /// loopback connections also for loopback names.
    ///
    /// Loopback addresses are allowed on all connections, because a port may be forwarded. They are safe: DNS rebinding cannot
    /// give a page the origin of a literal address.
    ///
    /// - Parameters:
    ///   - host: The host in lower case; an IPv6 address without brackets.
    ///   - address: The gateway's IP address on the connection. `nil`, as in tests of the router, counts as loopback.
    private func serves(_ host: String, on address: String?) -> Bool {
        if (hosts + Self.loopbackAddresses).contains(where: { $0.matches(host) }) { return true }
        // A dual-stack socket has addresses such as ::ffff:127.0.0.1.
        let mapped = "::ffff:"
        let address = address.map { $0.hasPrefix(mapped) ? String($0.dropFirst(mapped.count)) : $0 } ?? "::1"
        if host == address { return true }
        let isLoopback = address == "::1" || address.hasPrefix("127.")
        return isLoopback && Self.loopbackNames?.matches(host) == true
    }

    private static let loopbackAddresses = ["127.0.0.1", "::1"].compactMap { try? HostPattern($0) }
    private static let loopbackNames = try? HostPattern("**.localhost")
}
