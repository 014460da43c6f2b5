import ArgumentParser
import Sallyport

/// The options for retries, with curl's names where curl has them.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum number of retries of a request. (default: 0; for a transfer, 4)",
            valueName: "count"
        )
    )
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "The wait before each retry, unless the server sets it. (default: increases with each retry)",
            valueName: "seconds"
        )
    )
    var retryDelay: Double?

    @Option(
        help: ArgumentHelp("The maximum time after which no further attempt begins.", valueName: "seconds")
    )
    var retryMaxTime: Double?

    @Flag(help: "Retry after every error and every status of 400 or more.")
    var retryAllErrors = false

    @Flag(help: "Also retry POST and PATCH, although the server may process them twice.")
    var retryAllMethods = false

    @Flag(help: "Send an Idempotency-Key, by which the server recognizes a repeated POST or PATCH.")
    var idempotencyKey = false

    func validate() throws {
        if let retry, !(0...1_000_000).contains(retry) {
            throw ValidationError("--retry needs a number that is not negative.")
        }
        for (name, seconds) in [("--retry-delay", retryDelay), ("--retry-max-time", retryMaxTime)] {
            if let seconds, !(seconds >= 0 && seconds < 1e9) {
                throw ValidationError("\(name) needs a number of seconds that is not negative.")
            }
        }
        let others = [
            ("delay", retryDelay != nil), ("max-time", retryMaxTime != nil), ("all-errors", retryAllErrors),
            ("all-methods", retryAllMethods),
        ]
        if retry == nil, let other = others.first(where: \.1) {
            throw ValidationError("--retry-\(other.0) needs a number of retries; specify it with --retry.")
        }
    }

    func apply(to request: inout HttpRequest) {
        if idempotencyKey, !IdempotencyKey.isSet(on: request) { IdempotencyKey.add(to: &request) }
    }

    func apply(to configuration: inout HttpClientConfiguration) {
        guard let retry, retry > 0 else { return }
        configuration.retry = policy(attempts: retry + 1)
        configuration.retryBudget = .unlimited
        configuration.onRetry(Self.announce)
    }

    /// Prints the reason for a retry, and the time until it.
    @Sendable static func announce(_ event: RetryEvent) {
        StandardError.print("sallyport: \(event.summary)")
    }

    /// The retry policy for transfers; `nil` without `--retry`.
    var transferPolicy: RetryPolicy? { retry.map { $0 > 0 ? policy(attempts: $0 + 1) : .never } }

    private func policy(attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy.exponential(attempts: attempts, base: .seconds(1), cap: .seconds(600))
        if let retryDelay { policy.backoff = .constant(.seconds(retryDelay)) }
        policy.longestTime = retryMaxTime.map(Duration.seconds)
        policy.longestRetryAfter = .seconds(3_600)
        if retryAllErrors {
            policy.errors = Set(RetryPolicy.ErrorKind.allCases)
            policy.statuses = Set(400...599)
        }
        if retryAllMethods { policy.methods.formUnion([.post, .patch]) }
        return policy
    }

    /// curl's arguments for the same retries. curl retries all methods.
    var curlArguments: [String] {
        guard let retry else { return [] }
        var words = ["--retry", "\(retry)"]
        if let retryDelay { words += ["--retry-delay", "\(Int(retryDelay.rounded(.up)))"] }
        if let retryMaxTime { words += ["--retry-max-time", "\(Int(retryMaxTime.rounded(.up)))"] }
        return words + [retryAllErrors ? "--retry-all-errors" : "--retry-connrefused"]
    }
}

extension RetryEvent {
    /// A description of the failure and of the time until the retry.
    var summary: String { "\(problem); retrying \(delay > .zero ? "in \(Format.time(delay))" : "immediately")" }

    /// A short description of the failure.
    private var problem: String {
        switch outcome {
        case .success(let response): "the server answered \(response.status.summary)"
        case .failure(let error): error.failure.reason
        }
    }
}
