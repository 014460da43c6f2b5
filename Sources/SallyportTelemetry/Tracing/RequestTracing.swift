import HTTPTypes
import Sallyport
import Tracing

/// Creates the spans of requests and propagates their context.
struct RequestTracing: Sendable {
    /// The maximum length of a URL or header in an attribute, in characters.
    private static let maximumLength = 2048

    let tracer: any Tracer
    let propagator: any Instrument
    /// The hosts to which the context is sent; `nil` for all.
    let hosts: [HostPattern]?
    let options: SpanOptions

    /// Starts a span, and sets its context in the request.
    ///
    /// - Parameter resendCount: The number of times that the call has sent the request before, including redirects.
    func start(_ request: inout HttpRequest, _ facts: RequestFacts, resendCount: Int) -> any Tracing.Span {
        let method = facts.unknownMethod == nil ? facts.method : "HTTP"
        let template = options.attributes.contains(.urlTemplate) ? facts.template : nil
        let name = template.map { "\(method) \($0)" } ?? method
        let span: any Tracing.Span = tracer.startSpan(name, ofKind: .client)
        if span.isRecording {
            // Every request has a span, so its body is searched only for an error or a response that is masked.
            var masker = SecretMasker(style: .display)
            masker.collectSecrets(of: facts.request, includesBody: false)
            span.updateAttributes { attributes in
                attributes[Attribute.requestMethod] = facts.method
                attributes[Attribute.requestMethodOriginal] = facts.unknownMethod.map { String($0.prefix(64)) }
                attributes[Attribute.serverAddress] = facts.server.host
                attributes[Attribute.serverPort] = facts.server.port
                attributes[Attribute.urlFull] = Self.url(facts.head, &masker)
                attributes[Attribute.urlTemplate] = template
                if resendCount > 0 { attributes[Attribute.requestResendCount] = resendCount }
                setOptional(&attributes, facts, &masker)
            }
        }
        if hosts?.contains(where: { $0.matches(facts.server.host) }) ?? true {
            propagator.inject(span.context, into: &request, using: HeaderInjector())
        }
        return span
    }

    private func setOptional(
        _ attributes: inout SpanAttributes,
        _ facts: RequestFacts,
        _ masker: inout SecretMasker
    ) {
        if options.attributes.contains(.urlScheme) { attributes[Attribute.urlScheme] = facts.scheme }
        let fields = facts.head.headerFields
        if options.attributes.contains(.userAgent) {
            attributes[Attribute.userAgent] = fields[.userAgent].map { Self.masked($0, &masker) }
        }
        if options.attributes.contains(.bodySizes) { attributes[Attribute.requestBodySize] = facts.bodySize }
        Self.set(options.requestHeaders, Attribute.requestHeader, from: fields, in: &attributes, &masker)
    }

    /// Ends the span of a request, with attributes of its response.
    func end(_ span: any Tracing.Span, _ facts: RequestFacts, _ end: RequestEnd) {
        if span.isRecording {
            let error = end.error?.masking(secretsOf: facts.request)
            if options.recordsPhases, let connection = end.response?.connection {
                recordPhases(of: connection, in: span)
            }
            span.updateAttributes { attributes in
                attributes[Attribute.errorType] = end.errorType
                if let response = end.response { set(response, to: facts.request, in: &attributes) }
            }
            if let error {
                span.recordError(error, attributes: [:], at: end.time)
                span.setStatus(SpanStatus(code: .error, message: error.description))
            } else if end.errorStatus != nil {
                span.setStatus(SpanStatus(code: .error))
            }
        }
        span.end(at: end.time)
    }

    private func set(_ response: ResponseFacts, to request: HttpRequest, in attributes: inout SpanAttributes) {
        attributes[Attribute.responseStatusCode] = response.status
        attributes[Attribute.protocolVersion] = response.connection.httpVersion?.number
        attributes.setPeer(of: response.connection)
        if options.attributes.contains(.bodySizes) { attributes[Attribute.responseBodySize] = response.bodySize }
        if options.responseHeaders.isEmpty { return }
        var masker = SecretMasker(sentBy: request)
        Self.set(options.responseHeaders, Attribute.responseHeader, from: response.fields, in: &attributes, &masker)
    }

    private static func set(
        _ names: [String],
        _ attribute: String,
        from fields: HTTPFields,
        in attributes: inout SpanAttributes,
        _ masker: inout SecretMasker
    ) {
        for name in names {
            guard let fieldName = HTTPField.Name(name) else { continue }
            let values = fields[fields: fieldName].map { shown(masker.masked(masker.value(of: $0))) }
            if !values.isEmpty { attributes["\(attribute).\(fieldName.canonicalName)"] = values }
        }
    }

    /// Returns the URL with masked secrets.
    private static func url(_ head: HTTPRequest, _ masker: inout SecretMasker) -> String {
        masked("\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")", &masker)
    }

    /// The text that replaces secrets according to the conventions.
    private static let redacted = "REDACTED"

    private static func masked(_ text: String, _ masker: inout SecretMasker) -> String {
        shown(masker.masked(masker.text(text)))
    }

    /// Returns a masked text of limited length. Its secrets are replaced according to the conventions.
    private static func shown(_ masked: String) -> String {
        String(masked.replacing(Redaction.mask, with: redacted).prefix(maximumLength))
    }
}

/// Sets the trace context in a request's headers, replacing previous values.
struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout HttpRequest) {
        // An invalid header from the tracer is omitted, so that it does not make the call fail.
        guard HTTPField.Name(key) != nil, HTTPField.isValidValue(value) else { return }
        request.setHeader(name: key, value: value)
    }
}
