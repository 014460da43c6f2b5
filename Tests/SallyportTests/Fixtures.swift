import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import SallyportTransfers
import TestSupport

/// A client over a mock that answers every request with the same response.
func client(
    _ response: MockResponse = .status(200),
    _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
) -> (client: HttpClient, server: MockTransport) {
    client(MockTransport { _ in response }, configure)
}

/// A client over a mock.
func client(
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
func makeRequest(_ url: String? = "https://api.example.com/", _ build: (inout HttpRequest) -> Void = { _ in })
    -> HttpRequest
{
    var request = HttpRequest(url: url)
    build(&request)
    return request
}

/// What is wrong with a request, as the client would say; empty if nothing is.
func refusal(of request: HttpRequest) -> String {
    do throws(NetworkError) {
        _ = try request.head()
        return ""
    } catch .invalidRequest(let failure) {
        return failure.description
    } catch {
        return "another error: \(error)"
    }
}

extension TransferError {
    /// The name of the case of its reason.
    var kind: String { caseName(of: reason) }
}

/// A list that closures on other tasks may add to.
final class Journal: Sendable {
    private let state = Locked<[String]>([])

    var entries: [String] { state.withLock { $0 } }

    func add(_ entry: String) { state.withLock { $0.append(entry) } }
}

extension RequestBody {
    /// The bytes of a body that is in memory, as text.
    var text: String? {
        guard case .data(let data) = self else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Duration {
    /// In seconds. What a call has used of its limit by the time it is sent is far less than one.
    var roundedUp: Int { Int((self / .seconds(1)).rounded(.up)) }
}
