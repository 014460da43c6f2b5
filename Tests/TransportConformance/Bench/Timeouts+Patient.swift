import SallyportTransport
import TestSupport

extension Timeouts {
    /// Those of calls whose limits are not what is tried: as long as tests wait for anything.
    public static let patient = Timeouts(
        resolve: .patience,
        connect: .patience,
        tls: .patience,
        total: .patience
    )
}
