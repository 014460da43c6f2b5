import SallyportTransport

/// What can go wrong with the answer of a ``MockTransport``.
public enum MockFault: Sendable {
    /// The exchange fails before the response.
    case fail(NetworkError)

    /// Nothing comes until the call is cancelled, its time is over, or the transport is closed.
    case stall

    /// The body comes in chunks of a number of bytes.
    case drip(bytes: Int)

    /// The body breaks off after a number of bytes, with ``NetworkError/incompleteBody(_:)``.
    case cut(after: Int)

    /// After a number of bytes the body stalls, as in ``stall``.
    case stallBody(after: Int)
}
