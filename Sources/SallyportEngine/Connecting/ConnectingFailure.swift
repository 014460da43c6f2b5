import NIOCore
import NIOPosix
import SallyportTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension NetworkError {
    /// Says which addresses were tried and what each answered.
    init(connectingTo origin: Origin, failed error: any Error, _ timeouts: Timeouts) {
        let place = "\(origin.host) on port \(origin.port)"
        if case ChannelError.connectTimeout = error {
            self = .timeout(
                NetworkFailure(
                    "connecting to \(place) took longer than \((timeouts.connect ?? .zero).inSeconds)",
                    phase: .connect,
                    advice: "check that the host is up and that no firewall is in the way",
                    underlying: error
                )
            )
            return
        }
        let failures = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
        let reasons = failures.map { ($0 as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\($0)" }
        let failure = NetworkFailure(
            "no connection to \(place): \(Set(reasons).sorted().joined(separator: ", "))",
            phase: .connect,
            advice: "check that the server is running and the port is right",
            underlying: error
        )
        let isOffline = failures.allSatisfy { [ENETUNREACH, ENETDOWN].contains(($0 as? IOError)?.errnoCode) }
        self = isOffline && !failures.isEmpty ? .networkUnavailable(failure) : .connectionFailed(failure)
    }
}
