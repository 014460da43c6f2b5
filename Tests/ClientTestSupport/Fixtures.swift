import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting

/// A client over a mock that answers every request with the same response.
package func makeClient(
    _ response: MockResponse = .status(200),
    _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
) -> (client: HttpClient, server: MockTransport) {
    makeClient(MockTransport { _ in response }, configure)
}

/// A client over a mock.
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

/// A request built by a closure.
package func makeRequest(_ url: String? = "https://api.example.com/", _ build: (inout HttpRequest) -> Void = { _ in })
    -> HttpRequest
{
    var request = HttpRequest(url: url)
    build(&request)
    return request
}

/// A list that closures on other tasks may add to.
package final class Journal: Sendable {
    private let state = Locked<[String]>([])

    package init() {}

    package var entries: [String] { state.withLock { $0 } }

    package func add(_ entry: String) { state.withLock { $0.append(entry) } }
}

extension RequestBody {
    /// The bytes of a body that is in memory, as text.
    package var text: String? {
        guard case .data(let data) = self else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Duration {
    /// In seconds. What a call has used of its limit by the time it is sent is far less than one.
    package var roundedUp: Int { Int((self / .seconds(1)).rounded(.up)) }
}
