/// The steps of a scripted server on one connection.
///
/// The server reads at all times, unless a step stops it. The steps that receive wait for input that the server reads. After
/// the last step the connection stays open until the client closes it.
public typealias Script = [ScriptStep]

/// A step of a scripted server.
public indirect enum ScriptStep: Sendable {
    /// Waits for the next empty line, which ends a request's head.
    case receiveHead
    /// Waits for a number of further bytes.
    case receiveBody(Int)
    /// Waits for a complete request, with a body framed by `Content-Length` or in chunks.
    case receiveRequest
    /// Waits for a text, and consumes the bytes up to its end.
    case receive(until: String)
    /// Waits until the client has closed its side.
    case receiveAll
    /// Sends bytes, and waits until they have been written to the network.
    case sendBytes([UInt8])
    /// Sends bytes one by one, each in its own packet.
    case dripBytes([UInt8])
    /// Closes the server's side of the connection (FIN, after a `close_notify` with TLS), and continues to read.
    case close
    /// Closes the TCP connection without a TLS `close_notify`.
    case closeUncleanly
    /// Resets the connection (RST).
    case reset
    /// Waits for a signal of the test.
    case waitFor(Signal)
    /// Signals the test that the script has reached this step.
    case fire(Signal)
    /// Stops reading, so that the client cannot send.
    case stopReading
    /// Resumes reading.
    case resumeReading
    /// Forwards all further bytes to a server on a port of 127.0.0.1, and its bytes to the client, as a proxy does.
    case tunnel(toPort: Int)
    /// Waits for a time, like a slow server.
    case pause(Duration)
    /// Waits until the server stops.
    case stall
    /// Repeats steps.
    case repeating(Script, times: Int)

    /// Sends a text as UTF-8.
    public static func send(_ text: String) -> ScriptStep { .sendBytes(Array(text.utf8)) }

    /// Sends a text as UTF-8, byte by byte.
    public static func drip(_ text: String) -> ScriptStep { .dripBytes(Array(text.utf8)) }
}

extension [ScriptStep] {
    /// Speaks HTTP/2 up to the head of the first request, on stream 1. Further frames are sent as bytes.
    public static func receivingHTTP2Request(hasBody: Bool = false) -> Script {
        // The type and flags (END_HEADERS, and END_STREAM without a body) of HEADERS, and the stream.
        let head = "\u{1}\(hasBody ? "\u{4}" : "\u{5}")\u{0}\u{0}\u{0}\u{1}"
        return [.receive(until: "SM\r\n\r\n"), .sendBytes(WireFrame.settings([:]).bytes), .receive(until: head)]
    }
}
