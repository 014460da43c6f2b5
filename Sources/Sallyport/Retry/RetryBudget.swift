import SallyportTransport

/// A limit on all retries of a client, so that retries do not multiply the load of a server that fails.
///
/// The budget is a token bucket that all calls of a client share, including downloads, uploads and event streams. Derived clients
/// share it too, unless they set another budget. Each retry takes a token. Successful calls and the passing of time restore tokens.
/// While there are none, nothing is retried. Resuming a transfer that has made progress takes no token.
public struct RetryBudget: Sendable, Hashable {
    /// The maximum and initial number of tokens. The default is 20.
    public var retries: Double

    /// The part of a token that a successful call restores. The default is 0.2: one retry for five calls.
    public var perSuccess: Double

    /// The part of a token that each second restores. The default is 0.5.
    public var perSecond: Double

    /// Creates a budget.
    public init(retries: Double = 20, perSuccess: Double = 0.2, perSecond: Double = 0.5) {
        self.retries = retries
        self.perSuccess = perSuccess
        self.perSecond = perSecond
    }

    /// A budget without a limit.
    public static let unlimited = RetryBudget(retries: .infinity)
}

/// The remaining tokens of a budget. The caller passes the current time.
struct RetryTokens: Sendable {
    private let budget: RetryBudget
    private var left: Double
    private var time: Duration

    init(_ budget: RetryBudget, at time: Duration) {
        self.budget = budget
        self.time = time
        left = budget.retries
    }

    /// Takes a token. Returns `false` if there is none.
    mutating func take(at time: Duration) -> Bool {
        refill(at: time)
        if left < 1 { return false }
        left -= 1
        return true
    }

    /// Restores the part of a token that a success is worth.
    mutating func succeed(at time: Duration) {
        refill(at: time)
        left = min(budget.retries, left + budget.perSuccess)
    }

    private mutating func refill(at time: Duration) {
        if time <= self.time { return }
        left = min(budget.retries, left + budget.perSecond * ((time - self.time) / .seconds(1)))
        self.time = time
    }
}
