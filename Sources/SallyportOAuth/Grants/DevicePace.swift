import Sallyport

/// How long a device waits before it asks again (RFC 8628, section 3.5).
struct DevicePace: Sendable {
    private var interval: Duration
    private var pause: Duration?

    /// The longest wait where the server cannot be reached.
    private static let longestPause = Duration.seconds(60)

    init(interval: Duration) {
        self.interval = interval
    }

    /// How long to wait now.
    var wait: Duration { pause ?? interval }

    /// Whether to ask again after what the server said.
    mutating func goesOn(after error: OAuthError) -> Bool {
        switch error.error {
        case "authorization_pending": pause = nil
        case "slow_down":
            interval += .seconds(5)
            pause = nil
        default:
            guard let status = error.status, status == 429 || status >= 500 else { return false }
            slowDown()
        }
        return true
    }

    /// Whether to ask again where no answer came.
    mutating func goesOn(after error: NetworkError) -> Bool {
        switch error {
        case .networkUnavailable, .hostNotFound, .connectionFailed, .timeout, .connectionLost, .incompleteBody:
            slowDown()
            return true
        default:
            return false
        }
    }

    /// Waits twice as long each time.
    private mutating func slowDown() {
        pause = max(interval, min(wait * 2, Self.longestPause))
    }
}
