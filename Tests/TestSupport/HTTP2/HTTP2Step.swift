/// The steps of a scripted HTTP/2 server on one connection.
///
/// The server reads and responds to PINGs at all times, unless a step stops that. The steps that receive wait for input that
/// the server reads. After the last step the connection stays open until the client closes it.
public typealias HTTP2Script = [HTTP2Step]

/// A step of a scripted HTTP/2 server.
public indirect enum HTTP2Step: Sendable {
    /// Waits for the client's preface and its SETTINGS.
    case receivePreface
    /// Waits for the head of a request.
    case receiveHead(HTTP2StreamReference)
    /// Waits until a request is complete.
    case receiveRequest(HTTP2StreamReference)
    /// Waits until a body has a number of bytes in total.
    case receiveBody(HTTP2StreamReference, Int)
    /// Waits until the client has reset a stream.
    case receiveReset(HTTP2StreamReference)
    /// Waits until a total number of frames of a type have been received.
    case receiveFrames(WireFrame.Kind, count: Int)
    /// Waits until a total number of streams have been opened.
    case receiveHeads(count: Int)
    /// Waits until the client has closed its side.
    case receiveAll
    /// Sends frames that depend on a stream's identifier.
    case sendOn(HTTP2StreamReference, @Sendable (Int) -> [WireFrame])
    /// Sends bytes, and waits until they have been written to the network.
    case sendBytes([UInt8])
    /// Sends a body of a size as the client's windows allow, and waits if they do not.
    case sendBody(HTTP2StreamReference, Int, end: Bool)
    /// Closes the server's side of the connection.
    case close
    /// Resets the connection (RST).
    case reset
    /// Waits for a signal of the test.
    case waitFor(Signal)
    /// Signals the test that the script has reached this step.
    case fire(Signal)
    /// Stops responding to PINGs.
    case ignorePings
    /// Waits for a time, like a slow server.
    case pause(Duration)
    /// Waits until the server stops.
    case stall
    /// Repeats steps.
    case repeating(HTTP2Script, times: Int)
}

/// The stream that a step applies to.
public enum HTTP2StreamReference: Sendable, ExpressibleByIntegerLiteral {
    /// The stream with an identifier.
    case number(Int)
    /// The next stream that no step has used.
    case next
    /// The stream that a step has used last.
    case current

    /// Creates the stream with an identifier.
    public init(integerLiteral value: Int) { self = .number(value) }
}

extension HTTP2Step {
    /// Sends frames.
    public static func send(_ frames: WireFrame...) -> HTTP2Step { .sendBytes(frames.flatMap(\.bytes)) }

    /// Sends SETTINGS.
    public static func settings(_ settings: [HTTP2SettingNumber: UInt32]) -> HTTP2Step { .send(.settings(settings)) }

    /// Sends a head with a status and fields.
    public static func head(
        _ stream: HTTP2StreamReference = .current,
        status: String = "200",
        _ fields: [(String, String)] = [],
        end: Bool = false
    ) -> HTTP2Step {
        .headers(stream, [(":status", status)] + fields, end: end)
    }

    /// Sends HEADERS with exactly the given fields.
    public static func headers(
        _ stream: HTTP2StreamReference = .current,
        _ fields: [(String, String)],
        end: Bool = false
    ) -> HTTP2Step {
        .sendOn(stream) { [.headers($0, fields.map { (name: $0.0, value: $0.1) }, end: end)] }
    }

    /// Sends DATA with a text.
    public static func data(
        _ stream: HTTP2StreamReference = .current,
        _ text: String,
        end: Bool = false
    ) -> HTTP2Step {
        .sendOn(stream) { [.data($0, Array(text.utf8), end: end)] }
    }

    /// Sends RST_STREAM.
    public static func resetStream(_ stream: HTTP2StreamReference = .current, _ code: UInt32) -> HTTP2Step {
        .sendOn(stream) { [.reset($0, code)] }
    }

    /// Sends WINDOW_UPDATE for a stream.
    public static func windowUpdate(_ stream: HTTP2StreamReference, _ increment: UInt32) -> HTTP2Step {
        .sendOn(stream) { [.windowUpdate($0, increment)] }
    }
}

extension [HTTP2Step] {
    /// Exchanges prefaces and SETTINGS.
    public static func greeting(_ settings: [HTTP2SettingNumber: UInt32] = [:]) -> HTTP2Script {
        [.settings(settings), .receivePreface, .send(WireFrame(.settings, flags: WireFrame.acknowledgement))]
    }

    /// Responds to a complete request with a text.
    public static func answer(_ stream: HTTP2StreamReference = .next, _ text: String = "ok") -> HTTP2Script {
        [.receiveRequest(stream)] + .response(stream.taken, text)
    }

    /// Sends a head with a length, and a text.
    public static func response(_ stream: HTTP2StreamReference = .current, _ text: String = "ok") -> HTTP2Script {
        [.head(stream, [("content-length", "\(text.utf8.count)")]), .data(stream, text, end: true)]
    }

    /// Exchanges prefaces and SETTINGS, and responds to a number of requests, each when it is complete.
    public static func answers(_ count: Int) -> HTTP2Script { .greeting() + [.repeating(.answer(), times: count)] }
}

extension HTTP2StreamReference {
    /// Returns the same stream once a step has used it.
    var taken: HTTP2StreamReference {
        if case .next = self { .current } else { self }
    }
}
