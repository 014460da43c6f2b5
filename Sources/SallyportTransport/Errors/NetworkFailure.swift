import Foundation
import HTTPTypes

/// A description of a failed call for the person who reads the error.
///
/// It never contains the value of a header, a body, or the values of a query.
public struct NetworkFailure: Sendable {
    /// The properties on the heap, so that errors are one reference: every function that can throw one reserves memory for it.
    private var contents: CopyOnWriteBox<NetworkFailureContents>

    /// The reason for the failure.
    public var reason: String {
        get { contents.value.reason }
        set { contents.value.reason = newValue }
    }

    /// The method and URL of the call, without the query.
    public var request: String? {
        get { contents.value.request }
        set { contents.value.request = newValue }
    }

    /// The phase of the call that failed.
    public var phase: ExchangePhase? {
        get { contents.value.phase }
        set { contents.value.phase = newValue }
    }

    /// A Boolean value that indicates whether the request may have been sent before it reached ``phase`` again.
    ///
    /// A transport repeats a request if its connection was lost and its method is idempotent, or if the server has refused to process it
    /// (RFC 9113, section 8.7). If there is then no connection for it, the call fails while waiting or connecting, although the server may
    /// have executed the request: a proxy that terminates TLS can forge a refusal.
    public var mayHaveBeenSentEarlier: Bool {
        get { contents.value.mayHaveBeenSentEarlier }
        set { contents.value.mayHaveBeenSentEarlier = newValue }
    }

    /// Advice on what to do.
    public var advice: String? {
        get { contents.value.advice }
        set { contents.value.advice = newValue }
    }

    /// The underlying error, if any.
    public var underlying: (any Error)? {
        get { contents.value.underlying }
        set { contents.value.underlying = newValue }
    }

    /// The head of the response, if only its body could not be received.
    package var receivedHead: ReceivedHead? {
        get { contents.value.receivedHead }
        set { contents.value.receivedHead = newValue }
    }

    /// The status of the response, if only its body could not be received; `nil` if no head was received, or if the body is streamed.
    public var status: HTTPResponse.Status? { receivedHead?.head.status }

    /// An object that a module above this one attaches, such as the trace of the call.
    package var attachment: (any AnyObject & Sendable)? {
        get { contents.value.attachment }
        set { contents.value.attachment = newValue }
    }

    /// Creates a failure.
    public init(
        _ reason: String,
        request: String? = nil,
        phase: ExchangePhase? = nil,
        advice: String? = nil,
        underlying: (any Error)? = nil
    ) {
        contents = CopyOnWriteBox(
            NetworkFailureContents(
                reason: reason,
                request: request,
                phase: phase,
                advice: advice,
                underlying: underlying
            )
        )
    }
}

private struct NetworkFailureContents: Sendable {
    var reason: String
    var request: String?
    var phase: ExchangePhase?
    var mayHaveBeenSentEarlier = false
    var advice: String?
    var underlying: (any Error)?
    var receivedHead: ReceivedHead?
    var attachment: (any AnyObject & Sendable)?
}

/// The head of a response and the properties of its connection, if the body could not be received. An object, so that errors are small.
package final class ReceivedHead: Sendable {
    package let head: HTTPResponse
    package let connection: ConnectionFacts

    package init(_ head: HTTPResponse, _ connection: ConnectionFacts) {
        self.head = head
        self.connection = connection
    }
}

extension ReceivedHead: CustomReflectable {
    /// The status only, so that `dump` does not print the values of header fields.
    package var customMirror: Mirror { Mirror(self, children: ["status": head.status.code]) }
}

extension NetworkFailure {
    /// Returns the reason why a system call on a socket failed, as a clause that follows a colon.
    ///
    /// - Parameter code: The value of `errno`.
    package static func reason(socketError code: CInt) -> String {
        switch code {
        case ECONNRESET: "the server reset the connection"
        case EPIPE, ENOTCONN: "the server closed the connection"
        case ETIMEDOUT: "the server does not respond"
        case EADDRINUSE: "the address is already in use"
        case EADDRNOTAVAIL: "the address is not available on this machine"
        default: String(cString: strerror(code))
        }
    }
}

/// The phases of an exchange, in order.
public enum ExchangePhase: String, Sendable, Comparable, CaseIterable {
    /// Waiting for a connection to become free.
    case queue = "waiting for a connection"
    /// Resolving the host's name.
    case resolve = "resolving the host"
    /// Connecting to one of its addresses.
    case connect = "connecting"
    /// In the TLS handshake.
    case tls = "in the TLS handshake"
    /// Sending the request.
    case send = "sending the request"
    /// Waiting for the response's head.
    case head = "waiting for the response"
    /// Reading the response's body.
    case body = "reading the response's body"

    private var order: Int {
        switch self {
        case .queue: 0
        case .resolve: 1
        case .connect: 2
        case .tls: 3
        case .send: 4
        case .head: 5
        case .body: 6
        }
    }

    /// Returns a Boolean value that indicates whether one phase precedes another.
    public static func < (first: ExchangePhase, second: ExchangePhase) -> Bool { first.order < second.order }
}

extension NetworkFailure: CustomStringConvertible, CustomReflectable {
    /// The request, reason, phase and advice in one line. Control characters, which a server may have sent, are escaped.
    public var description: String {
        let start = request.map { "\($0): " } ?? ""
        let repeated = mayHaveBeenSentEarlier ? "; the request may have been sent before" : ""
        let progress = phase.map { " (while \($0.rawValue)\($0 < .send ? repeated : ""))" } ?? ""
        let end = advice.map { "; \($0)" } ?? ""
        return VisibleText.line(start + reason + progress + end)
    }

    /// A mirror of ``description``. It omits the underlying error, which may contain data of the server or the app.
    public var customMirror: Mirror { Mirror(self, children: ["failure": description], displayStyle: .struct) }
}

extension NetworkFailure: ExpressibleByStringInterpolation {
    /// Creates a failure from its reason.
    public init(stringLiteral reason: String) {
        self.init(reason)
    }
}
