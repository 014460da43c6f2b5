/// What a scripted server does on one connection, step by step.
///
/// The server reads whatever the client sends at all times, unless told to stop; the steps that receive only wait for it.
/// After the last step the connection stays open until the client closes it.
public typealias Script = [ScriptStep]

/// One thing that a scripted server does.
public indirect enum ScriptStep: Sendable {
    /// Waits for the next empty line: the end of a request's head.
    case receiveHead
    /// Waits for so many bytes more.
    case receiveBody(Int)
    /// Waits for a whole request, its body framed by `Content-Length` or chunked.
    case receiveRequest
    /// Waits until a text comes in, and moves behind it.
    case receive(until: String)
    /// Waits until the client has closed its side.
    case receiveAll
    /// Sends bytes, and waits until the network has taken them.
    case sendBytes([UInt8])
    /// Sends bytes one by one, each on its own way.
    case dripBytes([UInt8])
    /// Ends the server's side of the connection (FIN; over TLS a `close_notify` first), and reads on.
    case close
    /// Closes the connection beneath TLS, without a `close_notify`.
    case closeUncleanly
    /// Breaks the connection (RST).
    case reset
    /// Waits for the test.
    case waitFor(Signal)
    /// Tells the test that the script has come so far.
    case fire(Signal)
    /// Stops reading, so that the client's sending comes to a halt.
    case stopReading
    /// Reads on.
    case resumeReading
    /// Passes on, from here, what comes to a server on a port of 127.0.0.1, and back what that says: as a proxy does.
    case tunnel(toPort: Int)
    /// Does nothing more until the server stops.
    case stall
    /// Does some steps again and again.
    case repeating(Script, times: Int)

    /// Sends a text as UTF-8.
    public static func send(_ text: String) -> ScriptStep { .sendBytes(Array(text.utf8)) }

    /// Sends a text as UTF-8, byte by byte.
    public static func drip(_ text: String) -> ScriptStep { .dripBytes(Array(text.utf8)) }
}
