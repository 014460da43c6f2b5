import Foundation
import Sallyport

/// One request, checked in all its parts, and what becomes of its response.
struct Call: Sendable {
    let options: RequestOptions
    let request: HttpRequest
    let configuration: HttpClientConfiguration
    let jar: CookieJar
    let login: Login?
    let credentials: [ServerCredentials]

    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used. Nothing has been sent or written then.
    init(method: HttpMethod, _ options: RequestOptions) async throws {
        self.options = options
        request = try await HttpRequest(method: method, options)
        jar = try options.cookies.makeJar()
        let authentication = options.authentication
        // curl asks for a password by itself.
        credentials = try await authentication.given.credentials(
            for: [options.address],
            scheme: authentication.scheme,
            isAsking: !options.output.curl
        )
        let interceptors = credentials.compactMap { $0.interceptor(usingDigest: authentication.digest) }
        var configuration = try await HttpClientConfiguration(options, authentication: interceptors, jar: jar)
        configuration.isTraced = options.output.trace
        options.retries.apply(to: &configuration)
        self.configuration = configuration
        login = try options.authentication.auth.map { name in
            try Login(name, for: [options.url]) { $0.showExchanges(options) }
        }
    }

    /// Sends the request and writes the response.
    func run() async throws {
        let plain = HttpClient(configuration: configuration)
        defer { plain.close() }
        let client = login?.authorizing(plain) ?? plain
        let output = try ResponseOutput(path: options.place.output, isRaw: options.output.raw)
        var trace: InterceptorTrace?
        defer { if let trace { TraceOutput.show(trace) } }
        do {
            try await client.stream(request: request) { response in
                trace = response.trace
                let writer = ResponseWriter(
                    options: options.output,
                    includesHead: options.place.include,
                    output: output
                )
                try await writer.write(response)
            }
            try await output.finish()
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

extension HttpRequest {
    fileprivate init(method: HttpMethod, _ options: RequestOptions) async throws {
        try options.check(options.url)
        self.init(url: options.url)
        try await options.content.apply(to: &self)
        options.cookies.apply(to: &self)
        options.retries.apply(to: &self)
        setMethod(method)
        timeouts = options.connection.timeouts
        _ = try head()
    }
}
