import TestSupport
import Testing

/// The tests of the compatibility modules. They are serialized, because a registered `URLProtocol` class answers the requests of all
/// clients.
@Suite(.concurrencyLimited, .serialized) enum PingNetworkTests {}
