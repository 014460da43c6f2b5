/// What a scripted HTTP/2 server does on one connection, step by step.
///
/// The server reads whatever the client sends at all times, and answers PINGs, unless told otherwise; the steps that
/// receive only wait for it. After the last step the connection stays open until the client closes it.
public typealias HTTP2Script = [HTTP2Step]

/// One thing that a scripted HTTP/2 server does.
public indirect enum HTTP2Step: Sendable {
    /// Waits for the client's preface and its SETTINGS.
    case receivePreface
    /// Waits for the head of a request.
    case receiveHead(HTTP2StreamReference)
    /// Waits until a request is whole.
    case receiveRequest(HTTP2StreamReference)
    /// Waits until so many bytes of a body have come in all.
    case receiveBody(HTTP2StreamReference, Int)
    /// Waits until the client has reset a stream.
    case receiveReset(HTTP2StreamReference)
    /// Waits until so many frames of a type have come in all.
    case receiveFrames(WireFrame.Kind, count: Int)
    /// Waits until so many streams have been begun in all.
    case receiveHeads(count: Int)
    /// Waits until the client has closed its side.
    case receiveAll
    /// Sends frames that depend on a stream's number.
    case sendOn(HTTP2StreamReference, @Sendable (Int) -> [WireFrame])
    /// Sends bytes, and waits until the network has taken them.
    case sendBytes([UInt8])
    /// Sends a body of so many bytes as the client's windows allow, and waits where they do not.
    case sendBody(HTTP2StreamReference, Int, end: Bool)
    /// Ends the server's side of the connection.
    case close
    /// Breaks the connection (RST).
    case reset
    /// Waits for the test.
    case waitFor(Signal)
    /// Tells the test that the script has come so far.
    case fire(Signal)
    /// Answers no more PINGs.
    case ignorePings
    /// Does nothing more until the server stops.
    case stall
    /// Does some steps again and again.
    case repeating(HTTP2Script, times: Int)
}

/// Which stream a step is about.
public enum HTTP2StreamReference: Sendable, ExpressibleByIntegerLiteral {
    /// The one of a number.
    case number(Int)
    /// The next that no step has taken yet.
    case next
    /// The one that a step has taken last.
    case current

    /// The one of a number.
    public init(integerLiteral value: Int) { self = .number(value) }
}

extension HTTP2Step {
    /// Sends frames.
    public static func send(_ frames: WireFrame...) -> HTTP2Step { .sendBytes(frames.flatMap(\.bytes)) }

    /// Sends SETTINGS.
    public static func settings(_ settings: [HTTP2SettingNumber: UInt32]) -> HTTP2Step { .send(.settings(settings)) }

    /// Sends a head of a status and some fields.
    public static func head(
        _ stream: HTTP2StreamReference = .current,
        status: String = "200",
        _ fields: [(String, String)] = [],
        end: Bool = false
    ) -> HTTP2Step {
        .headers(stream, [(":status", status)] + fields, end: end)
    }

    /// Sends HEADERS of exactly these fields.
    public static func headers(
        _ stream: HTTP2StreamReference = .current,
        _ fields: [(String, String)],
        end: Bool = false
    ) -> HTTP2Step {
        .sendOn(stream) { [.headers($0, fields.map { (name: $0.0, value: $0.1) }, end: end)] }
    }

    /// Sends DATA of a text.
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

    /// Sends WINDOW_UPDATE of a stream.
    public static func windowUpdate(_ stream: HTTP2StreamReference, _ increment: UInt32) -> HTTP2Step {
        .sendOn(stream) { [.windowUpdate($0, increment)] }
    }
}

extension [HTTP2Step] {
    /// Exchanges prefaces and SETTINGS.
    public static func greeting(_ settings: [HTTP2SettingNumber: UInt32] = [:]) -> HTTP2Script {
        [.settings(settings), .receivePreface, .send(WireFrame(.settings, flags: WireFrame.acknowledgement))]
    }

    /// Answers a whole request with a text.
    public static func answer(_ stream: HTTP2StreamReference = .next, _ text: String = "ok") -> HTTP2Script {
        [.receiveRequest(stream)] + .response(stream.taken, text)
    }

    /// Sends a head with a length, and a text.
    public static func response(_ stream: HTTP2StreamReference = .current, _ text: String = "ok") -> HTTP2Script {
        [.head(stream, [("content-length", "\(text.utf8.count)")]), .data(stream, text, end: true)]
    }

    /// Exchanges prefaces and SETTINGS, and answers so many requests, each when it is whole.
    public static func answers(_ count: Int) -> HTTP2Script { .greeting() + [.repeating(.answer(), times: count)] }
}

extension HTTP2StreamReference {
    /// The same stream once it has been taken.
    var taken: HTTP2StreamReference {
        if case .next = self { .current } else { self }
    }
}
