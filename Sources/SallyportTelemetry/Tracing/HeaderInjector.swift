import HTTPTypes
import Sallyport
import Tracing

/// Writes the context of a trace into a request's headers, in place of what stood there.
struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout HttpRequest) {
        // A tracer that writes what is no header does not fail the call.
        guard HTTPField.Name(key) != nil, HTTPField.isValidValue(value) else { return }
        request.setHeader(name: key, value: value)
    }
}
