import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct NetworkErrorTests {
    private struct Odd: Error {}

    @Test func `The description contains request, reason, phase and advice, in this order`() {
        let error = NetworkError.timeout(
            NetworkFailure(
                "no answer within 2 seconds",
                request: "GET https://api.example.com/users",
                phase: .head,
                advice: "try again"
            )
        )
        #expect(
            "\(error)"
                == "GET https://api.example.com/users: no answer within 2 seconds"
                + " (while waiting for the response); try again"
        )
    }

    @Test func `The description of a failure before sending states that the request may have been sent before`() {
        var error = NetworkError.connectionFailed(NetworkFailure("no", phase: .connect))
        #expect(!error.mayHaveReachedServer)
        error.failure.mayHaveBeenSentEarlier = true
        #expect("\(error)" == "no (while connecting; the request may have been sent before)")
        #expect(error.mayHaveReachedServer)
        error.failure.phase = .head
        #expect("\(error)" == "no (while waiting for the response)")
    }

    @Test func `The description omits unknown properties`() {
        #expect("\(NetworkError.cancelled("the task was cancelled"))" == "the task was cancelled")
        #expect("\(NetworkError.tlsFailed(NetworkFailure("no", phase: .tls)))" == "no (while in the TLS handshake)")
    }

    @Test func `The failure of each case can be changed, and the case stays the same`() {
        let cases: [(NetworkFailure) -> NetworkError] = [
            NetworkError.invalidRequest, NetworkError.networkUnavailable, NetworkError.hostNotFound,
            NetworkError.connectionFailed, NetworkError.tlsFailed, NetworkError.certificateRefused,
            NetworkError.pinMismatch, NetworkError.timeout, NetworkError.connectionLost, NetworkError.incompleteBody,
            NetworkError.invalidResponse, NetworkError.undecodableBody, NetworkError.responseTooLarge,
            NetworkError.tooManyRedirects, NetworkError.cancelled, NetworkError.clientClosed, NetworkError.networkError,
        ]
        for make in cases {
            var error = make("reason")
            let name = Mirror(reflecting: error).children.first?.label
            error.failure.advice = "advice"
            #expect("\(error)" == "reason; advice")
            #expect(Mirror(reflecting: error).children.first?.label == name)
        }
    }

    @Test func `Wrapping keeps network errors and cancellations, and other errors become the underlying error`() {
        let own = NetworkError(wrapping: NetworkError.timeout("late"), reason: "unused")
        guard case .timeout = own else {
            Issue.record("\(own)")
            return
        }
        guard case .cancelled = NetworkError(wrapping: CancellationError(), reason: "unused") else {
            Issue.record("a cancellation is not a cancellation")
            return
        }
        let other = NetworkError(wrapping: Odd(), reason: "the producer failed")
        #expect(other.failure.underlying is Odd)
        #expect(other.failure.reason.hasPrefix("the producer failed"))
    }

    @Test func `The request is set without its query values, and only once`() {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/a?token=secret")
        let named = NetworkError.timeout("late").naming(head.summary)
        #expect(named.failure.request == "GET https://example.com/a?…")
        #expect(named.naming("other").failure.request == named.failure.request)
    }

    @Test func `The phases of an exchange are ordered`() {
        #expect(ExchangePhase.allCases == ExchangePhase.allCases.sorted())
        #expect(ExchangePhase.resolve < .connect)
        #expect(ExchangePhase.head < .body)
    }

    @Test func `A change of a copy leaves the original unchanged, and both are small`() {
        let original = NetworkError.timeout(NetworkFailure("late", phase: .head))
        var copy = original
        copy.failure.reason = "later"
        copy.failure.request = "GET http://a/"
        #expect("\(original)" == "late (while waiting for the response)")
        #expect("\(copy)" == "GET http://a/: later (while waiting for the response)")
        #expect(MemoryLayout<NetworkError>.size <= 9)
    }
}
