/// A target for a client of a case.
package enum Target: Sendable {
    /// The ratio of the cost to that of another client.
    case ratio(of: String = "sallyport", to: String = "libcurl", atMost: Double)
    /// The cost in addition to that of another client, in µs per call.
    case added(of: String, to: String, atMost: Double)
    /// The peak memory, in MB.
    case memory(of: String = "sallyport", atMost: Double)
    /// The peak memory in addition to the memory before the work, in MB.
    case memoryAboveIdle(of: String = "sallyport", atMost: Double)
    /// The memory per call, in KiB.
    case memoryPerCall(of: String = "sallyport", atMost: Double)

    package var client: String {
        switch self {
        case .ratio(let client, _, _), .added(let client, _, _), .memory(let client, _),
            .memoryAboveIdle(let client, _), .memoryPerCall(let client, _):
            client
        }
    }
}

/// The result of checking a target.
package struct Verdict: Sendable, Equatable {
    package let target: String
    package let value: String
    package let isMet: Bool

    package var description: String { "\(target): \(value)\(isMet ? "" : " MISSED")" }
}

extension Target {
    /// Returns the result, or `nil` if there are no samples of the client.
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
