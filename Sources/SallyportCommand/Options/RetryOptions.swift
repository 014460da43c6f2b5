import ArgumentParser
import Sallyport

/// The options for retries, with curl's names where curl has them.
struct RetryOptions: ParsableArguments {
    /// The maximum size of a body that is received completely before it is written.
    static let maximumBodySize = 1 << 30

    @Option(
        help: ArgumentHelp(
            "The maximum number of retries of a request. (default: 0; for a transfer, 4)",
            valueName: "count"
        )
    )
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "The wait before each retry, unless the server sets it; 0 for none. (default: increases with each retry)",
            valueName: "seconds"
        )
    )
    var retryDelay: Double?

    @Option(
        help: ArgumentHelp("The time after which no further attempt begins; 0 for no limit.", valueName: "seconds")
    )
    var retryMaxTime: Double?

    @Flag(
        help: ArgumentHelp(
            """
            Retry after every error, even one within the body, and every status of 400 or more. A body up to 1 GiB is received \
            completely before it is written.
            """
        )
    )
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
    }

    /// The first option that changes retries without setting their number; `nil` if none was used.
    private var changingOption: String? {
        let options = [
            ("--retry-delay", retryDelay != nil), ("--retry-max-time", retryMaxTime != nil),
            ("--retry-all-errors", retryAllErrors), ("--retry-all-methods", retryAllMethods),
        ]
        return options.first(where: \.1)?.0
    }

    /// A Boolean value that indicates whether an option sets or changes the retries.
    var isUsed: Bool { retry != nil || changingOption != nil }

    /// Checks that a command that does not retry by default has the number of retries.
    ///
    /// - Throws: A usage error.
    func checkCount() throws {
        if retry == nil, let changingOption {
            throw ValidationError("\(changingOption) needs a number of retries; specify it with --retry.")
        }
    }

    func apply(to request: inout HttpRequest) {
        if idempotencyKey, !IdempotencyKey.isSet(on: request) { IdempotencyKey.add(to: &request) }
    }

    /// - Parameter standard: The policy of a command that retries by default; `nil` for other commands.
    func apply(to configuration: inout HttpClientConfiguration, standard: RetryPolicy?) {
        let policy = policy(replacing: standard ?? .never)
        guard isUsed, policy.attempts > 1 else { return }
        configuration.retry = policy
        configuration.retryBudget = .unlimited
        configuration.onRetry(Self.announce)
    }

    /// Prints the reason for a retry, and the time until it.
    @Sendable static func announce(_ event: RetryEvent) {
        StandardError.print("sallyport: \(event.summary)")
    }

    /// Returns the policy of the options. Without `--retry`, the other options change the policy that applies by default.
    func policy(replacing standard: RetryPolicy) -> RetryPolicy {
        var policy = standard
        if let retry {
            if retry == 0 { return .never }
            policy = .exponential(attempts: retry + 1, base: .seconds(1), cap: .seconds(600))
            policy.longestRetryAfter = .seconds(3_600)
        }
        if let retryDelay { policy.backoff = .constant(.seconds(retryDelay)) }
        // As in curl, 0 is no limit.
        if let retryMaxTime, retryMaxTime > 0 { policy.longestTime = .seconds(retryMaxTime) }
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
        case .success(let response): "the server answered \(response.statusSummary)"
        case .failure(let error): error.failure.reason
        }
    }
}
