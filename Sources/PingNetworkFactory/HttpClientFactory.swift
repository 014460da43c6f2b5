import Sallyport

/// A factory of clients for code that was written for PingNetwork.
///
/// Its methods are in `PingNetworkCompatibility`. An app uses ``HttpClient``, or a factory of its own for settings that
/// `HttpClientConfig` does not have:
///
/// ```swift
/// var configuration = HttpClientConfiguration()
/// try configuration.pins.pin("api.example.com", to: [currentKey, backupKey])
/// let client = HttpClientFactory(configuration: configuration).createClient()
/// ```
public struct HttpClientFactory: Sendable {
    /// The settings that all clients of the factory begin with. The clients share its cookie jar.
    public let configuration: HttpClientConfiguration

    /// Creates a factory.
    ///
    /// - Parameter configuration: The settings that all clients of the factory begin with. Its standard headers are replaced by those
    ///   of PingNetwork. As in PingNetwork, its `timeout` limits the time without data instead of the complete call, and replaces the
    ///   limits of the phases.
    public init(configuration: HttpClientConfiguration = HttpClientConfiguration()) {
        self.configuration = configuration
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A factory of clients with the default settings, so that `HttpClient.createClient()` of PingNetwork compiles.
///
/// PingNetwork calls `createClient` with the name of the protocol that custom clients implement. Swift has no static methods on protocol
/// types, so the name refers to this variable in an expression, and to the protocol in `PingNetworkCompatibility` where a type is
/// expected. The variable has a module of its own, because a module cannot declare two things with one name.
///
/// ```swift
/// let client = HttpClient.createClient()
/// ```
public var HttpClient: HttpClientFactory { HttpClientFactory() }
