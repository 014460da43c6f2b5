/// What has to be shown of one of a case's clients.
package enum Target: Sendable {
    /// What it costs, as a ratio to what another costs.
    case ratio(of: String = "sallyport", to: String = "libcurl", atMost: Double)
    /// What it costs above what another costs, in µs per call.
    case added(of: String, to: String, atMost: Double)
    /// The most memory that it ever had, in MB.
    case memory(of: String = "sallyport", atMost: Double)
    /// The most memory that it ever had beyond what it had before the work, in MB.
    case memoryAboveIdle(of: String = "sallyport", atMost: Double)
    /// The memory that it took for each call, in KiB.
    case memoryPerCall(of: String = "sallyport", atMost: Double)

    package var client: String {
        switch self {
        case .ratio(let client, _, _), .added(let client, _, _), .memory(let client, _),
            .memoryAboveIdle(let client, _), .memoryPerCall(let client, _):
            client
        }
    }
}

/// Whether a target was met.
package struct Verdict: Sendable, Equatable {
    package let target: String
    package let value: String
    package let isMet: Bool

    package var description: String { "\(target): \(value)\(isMet ? "" : " MISSED")" }
}

extension Target {
    /// Nothing, when there are no samples of who it is about.
    package func verdict(on results: Results) -> Verdict? {
        switch self {
        case .ratio(let client, let other, let most):
            results.ratio(of: client, to: other).map { ratio in
                verdict("≤ \(number(most, 2))\(other == "libcurl" ? "" : " × \(other)")", ratio.median, most, digits: 2)
            }
        case .added(let client, let other, let most):
            results.added(by: client, to: other).map {
                verdict("≤ \(number(most, 1)) µs more", $0.median, most, digits: 1)
            }
        case .memory(let client, let most):
            results.median(client, \.rssMB).map { verdict("≤ \(number(most, 0)) MB", $0, most, digits: 1) }
        case .memoryAboveIdle(let client, let most):
            results.median(client, \.kibPerCall).map {
                verdict("≤ \(number(most, 0)) MB above idle", $0 / 1024, most, digits: 1)
            }
        case .memoryPerCall(let client, let most):
            results.median(client, \.kibPerCall).map { verdict("≤ \(number(most, 0)) KiB/call", $0, most, digits: 1) }
        }
    }

    private func verdict(_ target: String, _ value: Double, _ most: Double, digits: Int) -> Verdict {
        Verdict(target: target, value: number(value, digits), isMet: value <= most)
    }
}
