import Foundation
import SallyportTransport

/// The work of one upload, from its first request to its answer.
struct UploadWork: Sendable {
    let client: HttpClient
    let request: HttpRequest
    let options: UploadOptions
    let control: TransferControl
    let tally: UploadTally
    let content: UploadContent

    init(
        _ request: HttpRequest,
        by client: HttpClient,
        _ options: UploadOptions,
        _ control: TransferControl
    ) throws(TransferError) {
        self.client = client
        self.request = client.prepared(request, options.retry)
        self.options = options
        self.control = control
        tally = UploadTally(reportingTo: control)
        content = try UploadContent(request.body, tally: tally)
    }

    func run() async throws(TransferError) -> HttpResponse {
        tally.expect(content.length)
        return try await control.whileNotPaused { () async throws(TransferError) in try await attempts() }
    }

    /// Sends it until it has arrived, or there is no hope.
    private func attempts() async throws(TransferError) -> HttpResponse {
        var attempt = 0
        while true {
            attempt += 1
            let outcome = await send()
            if case .success(let response) = outcome, response.status.kind == .successful { return response }
            guard options.retry.covers(outcome, of: request), !content.isSpent else { throw TransferError(outcome) }
            try await wait(after: outcome, attempt)
        }
    }

    private func send() async -> Result<HttpResponse, NetworkError> {
        var request = request
        request.body = content.part(from: 0)
        do throws(NetworkError) {
            return .success(try await client.send(request, in: nil))
        } catch {
            return .failure(error)
        }
    }

    /// Waits for the next attempt.
    ///
    /// - Throws: What came of the last one, if there is to be no other.
    private func wait(after outcome: Result<HttpResponse, NetworkError>, _ attempt: Int) async throws(TransferError) {
        let time = client.configuration.retryTime
        var generator = SystemRandomNumberGenerator()
        let retryAfter = (try? outcome.get()).flatMap { RetryAfter.wait($0, now: time.date()) }
        let plan = options.retry.plan(afterAttempt: attempt, retryAfter: retryAfter, left: nil, using: &generator)
        guard case .wait(let delay) = plan else { throw TransferError(outcome) }
        do throws(NetworkError) {
            try await Call(of: client.state, in: nil).wait(for: delay, by: time)
        } catch {
            throw TransferError(.network(error))
        }
    }
}

extension TransferError {
    /// The error of an outcome that is not a success.
    init(_ outcome: Result<HttpResponse, NetworkError>) {
        switch outcome {
        case .success(let response): self.init(.status(response))
        case .failure(let error): self.init(error)
        }
    }

    /// An error of the body's own, such as that of its file, is not one of the network.
    init(_ error: NetworkError) {
        if let error = error.failure.underlying as? TransferError {
            self = error
        } else {
            self.init(.network(error))
        }
    }
}

extension HttpClient {
    /// The request of an upload as it is sent: by a method that has a body, without a limit on its whole time.
    fileprivate func prepared(_ request: HttpRequest, _ retry: RetryPolicy) -> HttpRequest {
        var request = request
        if request.getMethod() == .get { request.setMethod(.post) }
        if request.timeout == nil, request.timeouts == nil { request.timeouts = streamTimeouts }
        // It is the upload itself that is repeated, as it knows from where.
        request.retry = .never
        if retry.attempts > 1, retry.addsIdempotencyKey, !retry.methods.contains(request.getMethod()),
            !IdempotencyKey.isSet(on: request)
        {
            IdempotencyKey.add(to: &request)
        }
        return request
    }
}
