import SallyportTransport

#if os(Linux)
import SallyportEngine
#else
import SallyportURLSession
#endif

/// The transport of the platform: the engine on Linux, the system's URL loading on Apple's.
func defaultTransport(_ configuration: TransportConfiguration) -> any Transport {
    #if os(Linux)
    Engine(configuration: configuration)
    #else
    URLSessionTransport(configuration: configuration)
    #endif
}
