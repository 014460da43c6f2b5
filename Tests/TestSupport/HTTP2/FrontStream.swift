import NIOCore
import NIOHPACK
import NIOHTTP2

/// A stream of a front. It forwards a request to the HTTP/1.1 server, and returns the response as frames.
///
/// In each direction only one piece is in transit at a time, so that back-pressure reaches the sender.
final class FrontStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: FrontConnection
    private var context: ChannelHandlerContext?
    private var backend: FrontBackend?
    private var answer = AnswerReader()

    private var hasHead = false
    private var isChunked = false
    private var isRequestSent = false
    private var isAnswerSent = false
    /// The bytes that wait for the connection to the HTTP/1.1 server.
    private var waiting = ByteBuffer()
    private var writesUnderWay = 0
    private var whenWritten: (() -> Void)?

    init(of connection: FrontConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        backend?.close()
        backend = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame) where !hasHead: receiveHead(frame.headers, isAll: frame.endStream)
        case .headers(let frame): receiveTrailers(frame.headers)
        case .data(let frame):
            guard case .byteBuffer(let bytes) = frame.data else { return }
            receive(bytes, isLast: frame.endStream)
        default: context.read()
        }
    }

    private func receiveHead(_ fields: HPACKHeaders, isAll: Bool) {
        hasHead = true
        isChunked = !isAll && !fields.contains(name: "content-length")
        answer.isToHead = fields.first(name: ":method") == "HEAD"
        send(ByteBuffer(string: RequestText.head(fields, isChunked: isChunked)), isLast: isAll)
        // The stream is retained until then: it must close a connection that is opened after the stream has ended.
        connection.take { result in
            let backend = try? result.get()
            guard self.context != nil else { return backend?.close() ?? () }
            guard let backend else { return self.connection.close() }
            self.begin(on: backend)
        }
    }

    private func receive(_ bytes: ByteBuffer, isLast: Bool) {
        guard isChunked else { return send(bytes, isLast: isLast) }
        var chunk = ByteBuffer()
        if bytes.readableBytes > 0 {
            chunk.writeString("\(String(bytes.readableBytes, radix: 16))\r\n")
            chunk.writeImmutableBuffer(bytes)
            chunk.writeString("\r\n")
        }
        if isLast { chunk.writeString("0\r\n\r\n") }
        send(chunk, isLast: isLast)
    }

    private func receiveTrailers(_ fields: HPACKHeaders) {
        send(ByteBuffer(string: isChunked ? "0\r\n\(RequestText.lines(fields))\r\n" : ""), isLast: true)
    }

    private func send(_ bytes: ByteBuffer, isLast: Bool) {
        if isLast { isRequestSent = true }
        guard let backend else {
            waiting.writeImmutableBuffer(bytes)
            return
        }
        backend.write(bytes) { [weak self] in self?.context?.read() }
        finishIfDone()
    }

    // MARK: Response

    private func begin(on backend: FrontBackend) {
        self.backend = backend
        let bytes = waiting
        waiting.clear()
        backend.write(bytes) { [weak self] in self?.context?.read() }
        backend.begin(
            FrontBackend.Listener(
                received: { [weak self] in self?.receiveAnswer($0) },
                ended: { [weak self] in self?.backendEnded(inOrder: $0) }
            )
        )
    }

    private func receiveAnswer(_ bytes: ByteBuffer) {
        let parts = answer.read(bytes)
        // The stream closes within the write of its last frame, and drops anything that it still holds.
        isAnswerSent = answer.isWhole
        finishIfDone()
        for part in parts { relay(part) }
        if writesUnderWay == 0 { backend?.read() }
    }

    private func relay(_ part: AnswerReader.Part) {
        switch part {
        case .head(let status, let fields, let isAll):
            var headers = HPACKHeaders([(":status", status)])
            headers.add(contentsOf: fields.map { ($0.name, $0.value, .indexable) })
            write(.headers(.init(headers: headers, endStream: isAll)))
            if isAll { isAnswerSent = true }
        case .body(let bytes):
            write(.data(.init(data: .byteBuffer(bytes))))
        case .end(let trailers):
            isAnswerSent = true
            if trailers.isEmpty {
                write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
            } else {
                write(.headers(.init(headers: HPACKHeaders(trailers.map { ($0.name, $0.value) }), endStream: true)))
            }
        case .nonsense:
            reset(.internalError)
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload) {
        guard let context else { return }
        writesUnderWay += 1
        context.writeAndFlush(wrapOutboundOut(payload)).assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            self.writesUnderWay -= 1
            // NIO refuses to send a response that HTTP/2 cannot represent.
            if case .failure = result, self.context != nil { return self.connection.close() }
            guard self.writesUnderWay == 0 else { return }
            let next = self.whenWritten
            self.whenWritten = nil
            next?()
            self.backend?.read()
        }
    }

    /// Resets the stream once all previous writes have completed.
    private func reset(_ code: HTTP2ErrorCode) {
        isAnswerSent = true
        backend?.close()
        backend = nil
        whenWritten = { [weak self] in
            guard let self, let context = self.context else { return }
            context.writeAndFlush(self.wrapOutboundOut(.rstStream(code)), promise: nil)
        }
        if writesUnderWay == 0 {
            whenWritten?()
            whenWritten = nil
        }
    }

    private func backendEnded(inOrder: Bool) {
        backend = nil
        if isAnswerSent {
            if !isRequestSent { reset(.noError) }
        } else if !answer.hasHead {
            connection.close()
        } else if inOrder, answer.lastsUntilClose {
            relay(.end([]))
        } else {
            reset(.internalError)
        }
    }

    /// Makes the HTTP/1.1 connection available to the next stream when both directions have ended.
    private func finishIfDone() {
        guard isRequestSent, isAnswerSent, let backend else { return }
        self.backend = nil
        if answer.leavesConnectionInOrder { connection.keep(backend) } else { backend.close() }
    }
}

/// The head of an HTTP/2 request in the format of HTTP/1.1.
private enum RequestText {
    static func head(_ fields: HPACKHeaders, isChunked: Bool) -> String {
        func pseudo(_ name: String) -> String { fields.first(name: name) ?? "" }
        var text = "\(pseudo(":method")) \(pseudo(":path")) HTTP/1.1\r\nhost: \(pseudo(":authority"))\r\n"
        text += lines(fields)
        let cookies = fields[values: "cookie"]
        if !cookies.isEmpty { text += "cookie: \(cookies.joined(separator: "; "))\r\n" }
        if isChunked { text += "transfer-encoding: chunked\r\n" }
        return text + "\r\n"
    }

    static func lines(_ fields: HPACKHeaders) -> String {
        fields.filter { !$0.name.hasPrefix(":") && $0.name != "cookie" }.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}

extension HPACKHeaders {
    /// Returns the values of the fields with a name, unchanged.
    fileprivate subscript(values name: String) -> [String] { filter { $0.name == name }.map(\.value) }
}
