import HTTPTypes
import Sallyport
import Tracing

/// Creates the spans of requests and propagates their context.
struct RequestTracing: Sendable {
    /// The maximum length of a URL in an attribute, in characters.
    private static let maximumURLLength = 2048

    let tracer: any Tracer
    let propagator: any Instrument
    /// The hosts to which the context is sent; `nil` for all.
    let hosts: [HostPattern]?

    /// Starts a span, and sets its context in the request.
    func start(_ request: inout HttpRequest, _ head: HTTPRequest, to server: ServerOrigin) -> any Tracing.Span {
        let method = head.method.label
        let isKnown = method == head.method.rawValue
        let span: any Tracing.Span = tracer.startSpan(isKnown ? method : "HTTP", ofKind: .client)
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method
                if !isKnown { attributes["http.request.method_original"] = String(head.method.rawValue.prefix(64)) }
                attributes["server.address"] = server.host
                attributes["server.port"] = server.port
                attributes["url.full"] = Self.url(head)
            }
        }
        if hosts?.contains(where: { $0.matches(server.host) }) ?? true {
            propagator.inject(span.context, into: &request, using: HeaderInjector())
        }
        return span
    }

    /// Returns the URL with masked secrets.
    private static func url(_ head: HTTPRequest) -> String {
        let url = "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
        return String(Redaction.text(url).prefix(maximumURLLength))
    }
}

extension Tracing.Span {
    /// Ends the span of a request, with attributes of its response.
    func end(_ status: HttpStatus?, _ connection: ConnectionFacts?, _ error: NetworkError?) {
        if isRecording {
            updateAttributes { attributes in
                attributes["http.response.status_code"] = status?.code
                attributes["network.protocol.version"] = connection?.httpVersion?.number
                if let status, status.code >= 400 { attributes["error.type"] = "\(status.code)" }
                if let error { attributes["error.type"] = error.kind }
            }
            if let error {
                recordError(error)
                setStatus(SpanStatus(code: .error, message: error.description))
            } else if let status, status.code >= 400 {
                setStatus(SpanStatus(code: .error))
            }
        }
        end()
    }
}

extension ConnectionFacts.Version {
    /// The version number, such as `1.1`.
    fileprivate var number: String { String(rawValue.dropFirst("HTTP/".count)) }
}

/// Sets the trace context in a request's headers, replacing previous values.
struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout HttpRequest) {
        // An invalid header from the tracer is omitted, so that it does not make the call fail.
        guard HTTPField.Name(key) != nil, HTTPField.isValidValue(value) else { return }
        request.setHeader(name: key, value: value)
    }
}
