import ClientTestSupport
import Foundation
import PingNetworkFactory
import Sallyport
import SallyportGateway

/// A factory for the samples of the seeds, which call https://api.example.com.
struct SampleGateway: Sendable {
    /// The factory. Its clients send all requests to the gateway, or to another URL.
    let factory: HttpClientFactory
    /// The maximum times without data of the calls, in seconds.
    let timeouts = Journal()
    /// The maximum durations of the calls, in seconds.
    let totals = Journal()

    /// Creates a factory.
    ///
    /// - Parameter target: Returns the URL to which a request is sent, from the URL in the sample.
    init(to target: @escaping @Sendable (String) -> String) {
        var configuration = HttpClientConfiguration()
        configuration.onRequest { [timeouts, totals] request in
            timeouts.add("\((request.timeouts?.idle ?? .zero) / .seconds(1))")
            totals.add("\((request.timeouts?.total ?? .zero) / .seconds(1))")
            request.url = request.url.map(target)
        }
        factory = HttpClientFactory(configuration: configuration)
    }

    /// Runs a gateway while a closure runs.
    ///
    /// - Parameters:
    ///   - path: The path, with a query, to which all requests are sent; `nil` to send each to its own path below `/echo`.
    ///   - body: A closure that is called with the factory.
    static func run(at path: String? = nil, _ body: (SampleGateway) async throws -> Void) async throws {
        try await Gateway.withRunning { address in
            let gateway = SampleGateway { [base = address.baseURL] url in
                path.map { base + $0 } ?? url.replacingOccurrences(of: "https://api.example.com", with: base + "/echo")
            }
            try await body(gateway)
        }
    }
}

extension EchoedRequest {
    /// Decodes the request from the gateway's response.
    init(_ json: Data?) throws {
        self = try JSONDecoder().decode(EchoedRequest.self, from: json ?? Data())
    }
}
