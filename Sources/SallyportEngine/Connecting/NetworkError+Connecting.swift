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

extension Error {
    /// The reason of a failed connection in plain language, as a clause that follows a colon.
    var connectionReason: String {
        switch self {
        case let error as IOError: NetworkFailure.reason(socketError: error.errnoCode)
        case let error as ChannelError where [.ioOnClosedChannel, .alreadyClosed, .eof].contains(error): "it is closed"
        default: TLSAlert(self)?.reason ?? reasonInLibrary ?? "\(self)"
        }
    }
}

extension NetworkError {
    /// Creates the error for a connection that could not be opened, with the reasons of all addresses.
    ///
    /// - Parameter socket: The path of the Unix domain socket that the connection would have used, if any.
    init(connectingTo origin: Origin, socket: String? = nil, failed error: any Error, _ timeouts: Timeouts) {
        let peer = socket.map { "the Unix socket \($0)" } ?? "\(origin.host) on port \(origin.port)"
        if case ChannelError.connectTimeout = error {
            self = .timeout(
                NetworkFailure(
                    "connecting to \(peer) took longer than \(Quantity.time(timeouts.connect ?? .zero))",
                    phase: .connect,
                    advice: "check that the host is up and that no firewall is in the way",
                    underlying: error
                )
            )
            return
        }
        let failures = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
        let reasons = failures.map(\.connectionReason)
        let failure = NetworkFailure(
            "no connection to \(peer): \(Set(reasons).sorted().joined(separator: ", "))",
            phase: .connect,
            advice: "check that the server is running and the \(socket == nil ? "port" : "path") is right",
            underlying: error
        )
        let isOffline = failures.allSatisfy { [ENETUNREACH, ENETDOWN].contains(($0 as? IOError)?.errnoCode) }
        self = isOffline && !failures.isEmpty ? .networkUnavailable(failure) : .connectionFailed(failure)
    }
}
