import SallyportTransport

#if os(Linux)
import SallyportEngine
#else
import SallyportURLSession
#endif

/// Returns the platform's transport: the engine on Linux, `URLSession` on Apple platforms.
package func defaultTransport(_ configuration: TransportConfiguration) -> any Transport {
    #if os(Linux)
    Engine(configuration: configuration)
    #else
    URLSessionTransport(configuration: configuration)
    #endif
}
