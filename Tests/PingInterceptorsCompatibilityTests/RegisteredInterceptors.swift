import PingInterceptorsCompatibility
import Sallyport

// Both modules have an `Action`, so the files that create one import only one of them.

/// Adds the registered interceptors to a client.
func addRegistered(to configuration: inout HttpClientConfiguration) {
    configuration.addRegisteredInterceptors()
}
