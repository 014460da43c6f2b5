import Foundation
import Sallyport

/// One request, checked in all its parts, and what becomes of its response.
struct Call: Sendable {
    let options: RequestOptions
    let request: HttpRequest
    private let configuration: HttpClientConfiguration
    private let jar: CookieJar
    private let login: Login?

    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used. Nothing has been sent or written then.
    init(method: HttpMethod, _ options: RequestOptions) throws {
        self.options = options
        request = try HttpRequest(method: method, options)
        jar = try options.cookies.makeJar()
        configuration = try HttpClientConfiguration(options, jar: jar)
        login = try options.authentication.auth.map { name in
            try Login(name, for: options.url) { if options.output.verbose { $0.showExchanges(options) } }
        }
    }

    /// Sends the request and writes the response.
    func run() async throws {
        let plain = HttpClient(configuration: configuration)
        defer { plain.close() }
        let client = login?.authorizing(plain) ?? plain
        let output = try ResponseOutput(path: options.output.output)
        var trace: InterceptorTrace?
        defer { if let trace { TraceOutput.show(trace) } }
        do {
            try await client.stream(request: request) { response in
                trace = response.trace
                try await ResponseWriter(options: options.output, output: output).write(response)
            }
            try output.finish()
        } catch {
            if let error = error as? NetworkError { trace = trace ?? error.trace }
            await login?.session.finish()
            output.discard()
            try? options.cookies.save(jar)
            throw login?.explaining(error) ?? error
        }
        await login?.session.finish()
        try options.cookies.save(jar)
    }
}

extension HttpClientConfiguration {
    fileprivate init(_ options: RequestOptions, jar: CookieJar) throws {
        self.init()
        cookieJar = jar
        redirects = options.connection.redirects
        isTraced = options.output.trace
        var security = try options.security.transportSecurity()
        security.pins = try options.pins.certificatePins()
        let wire = TransportConfiguration(
            security: security,
            httpVersions: options.connection.version?.policy ?? .automatic,
            addressOverrides: options.connection.resolve,
            proxy: try options.proxy.policy(),
            decodesContent: options.connection.compressed
        )
        authentication = options.authentication.interceptors(for: options.url)
        if let choice = options.connection.transport {
            transport = choice.make(wire)
        } else {
            transportConfiguration = wire
        }
        options.retries.apply(to: &self)
        if options.output.verbose { showExchanges(options) }
    }

    fileprivate mutating func showExchanges(_ options: RequestOptions) {
        addWireInterceptor(VerboseInterceptor(asksForCompression: options.connection.compressed))
    }
}

extension HttpRequest {
    fileprivate init(method: HttpMethod, _ options: RequestOptions) throws {
        try RequestURL.check(options.url)
        try options.pins.check(for: options.url, followsRedirects: options.connection.follow != nil)
        self.init(url: options.url)
        try options.content.apply(to: &self)
        options.cookies.apply(to: &self)
        options.retries.apply(to: &self)
        setMethod(method)
        timeouts = options.connection.timeouts
        _ = try head()
    }
}
