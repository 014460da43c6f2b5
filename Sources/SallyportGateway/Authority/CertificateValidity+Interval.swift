import Foundation

extension CertificateValidity {
    /// The first and the last moment, not later than the authority's own end.
    func interval(from now: Date = Date(), until limit: Date) -> (start: Date, end: Date) {
        switch self {
        case .current: (now - .hour, min(now + 7 * .day, limit))
        case .expired: (now - .hour, now - .minute)
        case .future: (now + .day, min(now + 7 * .day, limit))
        }
    }
}

extension TimeInterval {
    static let minute: TimeInterval = 60
    static let hour: TimeInterval = 60 * minute
    static let day: TimeInterval = 24 * hour
}
