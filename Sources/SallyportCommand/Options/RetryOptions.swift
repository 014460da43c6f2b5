import ArgumentParser
import Sallyport

/// Whether a request is sent again, by the names of curl where it has them.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the request again, so many times at most, when that may help. (default: never; a transfer 4 times)",
            valueName: "count"
        )
    )
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "Wait that long each time, where the server does not say. (default: longer each time)",
            valueName: "seconds"
        )
    )
    var retryDelay: Double?

    @Option(
        help: ArgumentHelp("Begin no further attempt once so much time has passed.", valueName: "seconds")
    )
    var retryMaxTime: Double?

    @Flag(help: "Retry after every error and every status of 400 or more.")
    var retryAllErrors = false

    @Flag(help: "Repeat a POST or PATCH too, though the server may carry it out twice.")
    var retryAllMethods = false

    @Flag(help: "Send an Idempotency-Key, by which the server knows a repeated POST or PATCH again.")
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
            throw ValidationError("--retry-\(other.0) needs a number of retries: give it with --retry.")
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

    /// Says that something is tried again, and when.
    @Sendable static func announce(_ notice: RetryNotice) {
        StandardError.print("sallyport: \(notice.words)")
    }

    /// When a transfer goes on by itself, if anything was said of it.
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

    /// The words that make curl do the same; it repeats any method.
    var curlWords: [String] {
        guard let retry else { return [] }
        var words = ["--retry", "\(retry)"]
        if let retryDelay { words += ["--retry-delay", "\(Int(retryDelay.rounded(.up)))"] }
        if let retryMaxTime { words += ["--retry-max-time", "\(Int(retryMaxTime.rounded(.up)))"] }
        return words + [retryAllErrors ? "--retry-all-errors" : "--retry-connrefused"]
    }
}

extension RetryNotice {
    /// What happened, and when it is tried again.
    var words: String { "\(problem); trying again \(delay > .zero ? "in \(Format.time(delay))" : "at once")" }

    /// What happened, in a few words.
    private var problem: String {
        switch outcome {
        case .success(let response): "the server answered \(response.status.words)"
        case .failure(let error): error.failure.reason
        }
    }
}
