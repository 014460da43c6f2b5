import NIOCore
import SallyportTransport

/// What is said with a proxy until it has opened a tunnel. It takes what comes in pieces of any size.
protocol ProxyDialogue: Sendable {
    var proxy: Proxy { get }

    /// What this side says first.
    var opening: [UInt8] { get }

    /// Takes what has come, and leaves what it does not understand yet.
    ///
    /// - Throws: ``NetworkError`` when the proxy refuses, or says what it may not.
    mutating func receive(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyDialogueStep
}

/// What follows from what a proxy has said.
enum ProxyDialogueStep: Equatable {
    case wait
    case say([UInt8])
    /// From here on the proxy passes on what is sent.
    case isOpen
}

extension NetworkError {
    /// A proxy that says what the protocol does not allow.
    static func invalid(_ proxy: Proxy, _ problem: String, advice: String? = nil) -> NetworkError {
        .invalidResponse(NetworkFailure("the proxy \(proxy.place) \(problem)", phase: .connect, advice: advice))
    }

    /// A proxy that does not open the tunnel.
    static func refused(by proxy: Proxy, _ problem: String, advice: String? = nil) -> NetworkError {
        .connectionFailed(NetworkFailure("the proxy \(proxy.place) \(problem)", phase: .connect, advice: advice))
    }
}
