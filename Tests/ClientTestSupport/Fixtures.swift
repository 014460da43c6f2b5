import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting

/// Returns a client with a mock transport that returns the same response for each request.
package func makeClient(
    _ response: MockResponse = .status(200),
    _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
) -> (client: HttpClient, server: MockTransport) {
    makeClient(MockTransport { _ in response }, configure)
}

/// Returns a client with a mock transport.
package func makeClient(
    _ server: MockTransport,
    _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
) -> (client: HttpClient, server: MockTransport) {
    let client = HttpClient.createClient { config in
        config.transport = server
        configure(&config)
    }
    return (client, server)
}

/// Returns a request built by a closure.
package func makeRequest(_ url: String? = "https://api.example.com/", _ build: (inout HttpRequest) -> Void = { _ in })
    -> HttpRequest
{
    var request = HttpRequest(url: url)
    build(&request)
    return request
}

/// A list to which concurrent tasks can add entries.
package final class Journal: Sendable {
    private let state = Locked<[String]>([])

    package init() {}

    package var entries: [String] { state.withLock { $0 } }

    package func add(_ entry: String) { state.withLock { $0.append(entry) } }
}

extension RequestBody {
    /// The text of a body in memory.
    package var text: String? {
        guard case .data(let data) = self else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Duration {
    /// The seconds, rounded up to compensate for the short time between the start and the sending of a call.
    package var roundedUp: Int { Int((self / .seconds(1)).rounded(.up)) }
}

/// Sends each request to another origin.
package struct Elsewhere: Interceptor {
    package init() {}

    package func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.url = "https://evil.example/"
        return try await next(request)
    }
}
