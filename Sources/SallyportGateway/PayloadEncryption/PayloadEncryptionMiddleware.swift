import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationEssentialsCompat
import SallyportJOSE
import SallyportResource

/// Decrypts requests before the routes receive them, and encrypts their responses, including those to errors.
@available(macOS 14, iOS 17, tvOS 17, *)
struct PayloadEncryptionMiddleware: RouterMiddleware {
    let encryption: GatewayPayloadEncryption
    /// The field that can contain the session token of a request that is not sealed.
    let sessionField: HTTPField.Name?

    func handle(
        _ request: Request,
        context: GatewayContext,
        next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard let seal = request.headers[.payloadEncryption] else {
            if encryption.isRequired(for: request.uri.path) { return .payloadRefusal(.encryptionRequired) }
            if request.headers[.contentType] == PayloadFields.mediaType { return .payloadRefusal(.invalidMessage) }
            return try await next(request, context)
        }
        let opened: Request
        let exchange: PayloadExchange
        do throws(PayloadRefusal) {
            (opened, exchange) = try open(request, seal)
        } catch {
            return .payloadRefusal(error)
        }
        return Self.seal(try await next(opened, context), to: request.method, exchange)
    }

    /// Returns the request as the client created it. Its body is decrypted while it is read.
    private func open(
        _ request: Request,
        _ seal: String
    ) throws(PayloadRefusal) -> (request: Request, exchange: PayloadExchange) {
        guard request.headers[.contentEncoding] == nil else { throw .invalidMessage }
        let hasBody = request.headers[.contentType] == PayloadFields.mediaType
        let exchange = try encryption.accept(PayloadRequestHead(request.head, hasBody: hasBody), seal)
        // A request that was encrypted twice: its content would be ciphertext.
        if request.headers[.payloadContentType] == PayloadFields.mediaType { throw .invalidMessage }
        guard let opening = try? PayloadBodyOpening(exchange.requestBody) else { throw .invalidMessage }
        var head = request.head
        PayloadFields.open(&head.headerFields, hasBody: hasBody)
        // The length is not protected. The last segment of the body marks its end.
        head.headerFields[.contentLength] = nil
        PayloadFields.removeForeignCredentials(from: &head.headerFields, sessionField: sessionField)
        var opened = Request(head: head, body: request.body)
        // Bytes that follow a sealed request without a body are not part of it.
        opened.body =
            hasBody
            ? RequestBody(asyncSequence: OpenedRequestBody(encrypted: request.body, opening: opening))
            : RequestBody(buffer: ByteBuffer())
        return (opened, exchange)
    }

    /// Returns the encrypted response.
    private static func seal(_ response: Response, to method: HTTPRequest.Method, _ exchange: PayloadExchange)
        -> Response
    {
        // The length of compressed data can reveal its content.
        let response = response.headers[.contentEncoding] == nil ? response : Response(status: .internalServerError)
        // A response to HEAD has the header fields of the response to GET, including the length of its body.
        let lengthOfGet = method == .head ? response.headers[.contentLength].flatMap { Int($0) } : nil
        let length = lengthOfGet ?? response.body.contentLength
        var headers = response.headers
        PayloadFields.seal(&headers, hasBody: length != 0)
        headers[.trailer] = nil
        headers[.contentLength] = nil
        headers[.cacheControl] = "no-store"
        let head = PayloadResponseHead(status: response.status.code, fields: headers, to: method)
        let (seal, key) = exchange.seal(head)
        headers[.payloadEncryption] = seal
        let encryptedLength = length.map { Int(StreamSealer.encryptedLength(of: Int64($0))) }
        guard head.hasBody else {
            if method == .head, length != 0 { headers[.contentLength] = encryptedLength.map { "\($0)" } }
            return Response(status: response.status, headers: headers)
        }
        let body = response.body
        return Response(
            status: response.status,
            headers: headers,
            body: ResponseBody(contentLength: encryptedLength) { writer in
                try await body.write(SealingBodyWriter(writer, key))
            }
        )
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// Returns the response to a request that is refused before a route receives it. It is not encrypted.
    static func payloadRefusal(_ refusal: PayloadRefusal) -> Response {
        let headers: HTTPFields = [
            .payloadEncryptionError: refusal.rawValue, .contentType: "application/json", .cacheControl: "no-store",
        ]
        let body = ByteBuffer(string: "{\"error\":\"\(refusal.rawValue)\"}")
        return Response(status: .badRequest, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

/// The decrypted body of a request. It ends with an error if the encrypted body was changed or is incomplete.
@available(macOS 14, iOS 17, tvOS 17, *)
private struct OpenedRequestBody: AsyncSequence, Sendable {
    let encrypted: RequestBody
    let opening: PayloadBodyOpening

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: RequestBody.AsyncIterator
        let opening: PayloadBodyOpening

        mutating func next() async throws -> ByteBuffer? {
            while true {
                if let content = try await opening.next() { return content }
                guard let piece = try await pieces.next() else { return try await opening.finish() }
                await opening.append(piece)
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: encrypted.makeAsyncIterator(), opening: opening)
    }
}

/// Decrypts the body of a request in pieces.
@available(macOS 14, iOS 17, tvOS 17, *)
private actor PayloadBodyOpening {
    private var opener: StreamOpener?

    init(_ key: PayloadBodyKey) throws(JoseError) {
        opener = try key.opener()
    }

    func append(_ piece: ByteBuffer) {
        opener?.append(Data(buffer: piece, byteTransferStrategy: .noCopy))
    }

    /// Returns the next bytes; `nil` if more encrypted bytes are needed.
    func next() throws -> ByteBuffer? {
        do throws(JoseError) {
            return try opener?.nextContent().map { ByteBuffer(bytes: $0) }
        } catch {
            throw Self.notAuthentic
        }
    }

    /// Returns the last bytes; `nil` if there are none, or if they were returned before.
    func finish() throws -> ByteBuffer? {
        do throws(JoseError) {
            let content = try opener.take()?.finish() ?? Data()
            return content.isEmpty ? nil : ByteBuffer(bytes: content)
        } catch {
            throw Self.notAuthentic
        }
    }

    private static let notAuthentic = HTTPError(
        .badRequest,
        message: "The encrypted body was changed or is incomplete."
    )
}

/// Encrypts the body of a response in pieces. Its trailer fields are not sent, because they would not be encrypted.
@available(macOS 14, iOS 17, tvOS 17, *)
private final class SealingBodyWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter
    private var sealer: StreamSealer?

    init(_ writer: any ResponseBodyWriter, _ key: PayloadBodyKey) throws(JoseError) {
        self.writer = writer
        sealer = try key.sealer()
    }

    func write(_ buffer: ByteBuffer) async throws {
        sealer?.append(Data(buffer: buffer, byteTransferStrategy: .noCopy))
        while let segment = try sealer?.nextSegment() { try await writer.write(ByteBuffer(bytes: segment)) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {
        if let sealed = try sealer.take()?.finish() { try await writer.write(ByteBuffer(bytes: sealed)) }
        try await writer.finish(nil)
    }
}
