import Foundation
import SallyportStorage
import SallyportTransport

/// The outdated versions that servers have reported.
final class OutdatedVersions: Sendable {
    private struct Report: Sendable {
        let error: IntegrityError
        /// The end of the report, on the clock of the time source.
        let end: Duration
    }

    private static let maximumBodySize = 65_536

    private let checks: Set<IntegrityCheck>
    private let lifetime: Duration
    private let time: TimeSource
    private let reports = Locked<[IntegrityCheck: Report]>([:])

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - checks: The enabled checks. Reports about other checks are not stored.
    ///   - lifetime: The time to store a report.
    ///   - time: The clock.
    init(checks: Set<IntegrityCheck>, lifetime: Duration, time: TimeSource) {
        self.checks = checks.intersection([.outdatedApp, .outdatedSystem])
        self.lifetime = lifetime
        self.time = time
    }

    /// - Throws: The first report that has not ended.
    func check() throws(IntegrityError) {
        guard !checks.isEmpty else { return }
        if let error = results().lazy.compactMap({ $0.finding }).first { throw error }
    }

    /// Returns each enabled check with the report that has not ended, if any.
    func results() -> [(check: IntegrityCheck, finding: IntegrityError?)] {
        let now = time.now()
        let reports = reports.withLock { $0.filter { $0.value.end > now } }
        return IntegrityCheck.allCases.filter(checks.contains).map { ($0, reports[$0]?.error) }
    }

    /// Records and returns the error in a response that refuses a request because of an outdated version; `nil` for any other response.
    func recordReport(status: Int?, body: Data?) -> IntegrityError? {
        guard status == 400 || status == 403, let body, body.count <= Self.maximumBodySize,
            let members = try? JSONDecoder().decode([String: JsonValue].self, from: body)
        else { return nil }
        let minimum = members["minimum_version"]?.string.map { VisibleText.line($0, longest: 40) }
        let error: IntegrityError
        switch members["error"]?.string {
        case "outdated_app": error = .outdatedApp(minimum: minimum)
        case "outdated_os": error = .outdatedSystem(minimum: minimum)
        default: return nil
        }
        if checks.contains(error.check), lifetime > .zero {
            let report = Report(error: error, end: time.now() + lifetime)
            reports.withLock { $0[error.check] = report }
        }
        return error
    }
}
