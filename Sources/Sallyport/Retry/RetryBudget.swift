import SallyportTransport

/// How much a client may retry in all, so that a server in trouble is not given several times its load.
///
/// It is a bucket of tokens, shared by all calls of a client. Each retry takes one; calls that succeed, and time, put
/// some back. While there are none, calls are sent once.
public struct RetryBudget: Sendable, Hashable {
    /// How many retries there are at most, and at the start; 20 unless set.
    public var retries: Double

    /// What a call that succeeds gives back; 0.2 unless set, which is one retry for five calls.
    public var perSuccess: Double

    /// What each second gives back; 0.5 unless set.
    public var perSecond: Double

    /// Makes a budget.
    public init(retries: Double = 20, perSuccess: Double = 0.2, perSecond: Double = 0.5) {
        self.retries = retries
        self.perSuccess = perSuccess
        self.perSecond = perSecond
    }

    /// Limits nothing.
    public static let unlimited = RetryBudget(retries: .infinity)
}

/// The tokens of a budget that are left. Time is what its owner says it is.
struct RetryTokens: Sendable {
    private let budget: RetryBudget
    private var left: Double
    private var time: Duration

    init(_ budget: RetryBudget, at time: Duration) {
        self.budget = budget
        self.time = time
        left = budget.retries
    }

    /// Takes one, if there is one.
    mutating func take(at time: Duration) -> Bool {
        refill(at: time)
        if left < 1 { return false }
        left -= 1
        return true
    }

    /// Puts back what a success is worth.
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
