import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTransport

/// An interceptor that encrypts the bodies of requests to certain servers, and decrypts the bodies of their responses.
///
/// It protects payloads also from computers that terminate TLS, such as a proxy in front of the server: only a server with the private
/// key of ``PayloadServerKey`` can read them. Requests and responses cannot be changed or exchanged either: method, host, path, query,
/// status, content type and the header fields on which the client acts, such as `Authorization` and `Location`, are authenticated. The
/// path, the query and header fields remain readable, so that such a computer can use the tokens in them for requests of its own.
///
/// ```swift
/// let key = try PayloadServerKey(parsing: #"{"kty":"OKP","crv":"X25519","x":"…"}"#)
/// let encryption = PayloadEncryption(
///     key,
///     for: try OriginSet(["https://api.example.com"]),
///     handshakeURL: "https://api.example.com/api/v1/payload/handshake"
/// )
/// let client = HttpClient.createClient { config in config.sealing = [encryption] }
/// ```
///
/// The servers share sessions, which the server at the handshake's URL opens. The first request of a session waits for the handshake.
/// Copies of an interceptor, and clients with the same interceptor, share its session.
///
/// A response that is not encrypted, or was changed, makes the call fail with ``PayloadEncryptionError``, and its body is discarded. The
/// body of a streamed response is returned in pieces that are authentic and in order, but until it has ended, they may be
/// only its first part. Pieces are delayed until 64 KiB have arrived or the body ends, so events of a server-sent stream are too.
///
/// Trailer fields are not protected. A request with trailer fields is refused, and the trailer fields of a response are discarded.
/// Informational responses (1xx) are discarded as well, so the client does not learn where it could resume an interrupted upload, and
/// starts over.
/// Bodies with a content coding are refused, because the length of compressed data can reveal its content, and so are requests with
/// digests of their content. Requests with secrets in other header fields than `Authorization`, `DPoP` and `Cookie`, such as an API key, are
/// refused as well: those fields are not protected, so that others could replace them by credentials of their own.
///
/// A computer that terminates TLS can forge the statement that the server has not processed a request, such as GOAWAY of HTTP/2. The
/// transport then sends the same bytes again, which the server accepts once. If the connection for it cannot be
/// opened, a ``RetryPolicy`` repeats the request only if its method is idempotent or it has an `Idempotency-Key`.
///
/// A redirect to a server that is not one of the interceptor's makes the call fail, because the request would be sent there unencrypted.
///
/// `Docs/payload-encryption.md` specifies the format.
public struct PayloadEncryption: Interceptor {
    private let origins: OriginSet
    private let sessions: ClientPayloadSessions

    /// Creates an interceptor for ``HttpClientConfiguration/sealing``.
    ///
    /// - Parameters:
    ///   - key: The public key of the server.
    ///   - origins: The servers. Requests to all others are sent unchanged.
    ///   - handshakeURL: The URL at which the server opens sessions. Requests are sent there with the client that uses the interceptor.
    public init(_ key: PayloadServerKey, for origins: OriginSet, handshakeURL: String) {
        self.init(ClientPayloadSessions(key, handshakeURL: handshakeURL), for: origins)
    }

    init(_ sessions: ClientPayloadSessions, for origins: OriginSet) {
        self.origins = origins
        self.sessions = sessions
    }

    /// The name `payload encryption`.
    public var traceName: String { "payload encryption" }

    /// Sends the request encrypted, and returns the decrypted response.
    ///
    /// If the server has ended the session, or has received the request before because the transport has repeated it on another
    /// connection, the request is sent once more with a new counter, provided that its method is idempotent or it has an
    /// `Idempotency-Key`, and its body can be sent again.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard origins.contains(request) else { return try await next(request) }
        do {
            try Self.check(request)
            do {
                return try await send(request, next)
            } catch let error as PayloadEncryptionError where error.allowsAnotherAttempt && Self.isRepeatable(request) {
                return try await sendAgain(request, next)
            }
        } catch let error as PayloadEncryptionError {
            throw error.networkError
        }
    }

    /// Sends a request a second time. Its error states that the request may have been sent before, because the server may have executed the
    /// first attempt.
    private func sendAgain(_ request: HttpRequest, _ next: Next) async throws -> HttpResponse {
        do {
            return try await send(request, next)
        } catch var error as NetworkError {
            error.failure.mayHaveBeenSentEarlier = true
            throw error
        }
    }

    /// Refuses requests with parts that cannot be encrypted.
    private static func check(_ request: HttpRequest) throws(PayloadEncryptionError) {
        if request.fields[.payloadEncryption] != nil || request.fields[.contentType] == PayloadFields.mediaType {
            throw .unsupportedRequest("the request is already encrypted; send the original request again")
        }
        if request.trailers != nil {
            throw .unsupportedRequest("payload encryption cannot protect the trailer fields of a request")
        }
        if request.getHeader(name: "Content-Encoding") != nil {
            throw .unsupportedRequest("payload encryption does not allow a content coding (Content-Encoding)")
        }
        if let digest = PayloadFields.digests.first(where: { request.fields.contains($0) }) {
            throw .unsupportedRequest("payload encryption does not allow \(digest), a readable hash of the content")
        }
        // Otherwise, a proxy could replace them by its own, and receive the content in its account.
        if let secret = request.fields.first(where: { Redaction.isSecret($0) && !PayloadFields.isProtected($0.name) }) {
            // A sign-in cannot choose another field for the token of the server's session.
            let advice =
                request.action?.type == .authorize
                ? "let users sign in with a BrowserSignIn, or set a resourceBaseURL at another server"
                : "send it in Authorization"
            throw .unsupportedRequest("payload encryption does not protect the secret in \(secret.name); \(advice)")
        }
    }

    /// Returns a Boolean value that indicates whether a request may be sent again, although the refusal may be forged.
    private static func isRepeatable(_ request: HttpRequest) -> Bool {
        let isIdempotent =
            RetryPolicy.idempotentMethods.contains(request.getMethod()) || IdempotencyKey.isSet(on: request)
        return isIdempotent && !request.body.isSpent
    }

    private func send(_ request: HttpRequest, _ next: Next) async throws -> HttpResponse {
        let (session, counter) = try await sessions.next(for: request, next)
        var fileSize: Int64?
        if case .file(let url) = request.body {
            fileSize = try? await runBlocking { () throws(SentFile.Problem) in try SentFile.version(of: url) }.size
        }
        let (sealed, exchange) = try seal(request, fileSize: fileSize, in: session, counter: counter)
        let response = try await next(sealed)
        do {
            return try await open(response, exchange, method: request.getMethod())
        } catch PayloadEncryptionError.sessionEnded {
            sessions.end(session)
            await response.discard()
            throw PayloadEncryptionError.sessionEnded
        } catch {
            response.bodyStream.cancel()
            throw error
        }
    }

    private func seal(
        _ request: HttpRequest,
        fileSize: Int64?,
        in session: PayloadSession,
        counter: UInt64
    ) throws -> (request: HttpRequest, exchange: PayloadExchange) {
        var sealed = request
        let hasBody = request.body.hasPayload
        // The system would add a User-Agent to a request that is already sealed.
        if sealed.fields[.userAgent] == nil { sealed.fields[.userAgent] = "sallyport/\(NetworkConstants.sdkVersion)" }
        PayloadFields.seal(&sealed.fields, hasBody: hasBody)
        sealed.fields[.acceptEncoding] = "identity"
        // Informational responses are not protected.
        sealed.onInformational = nil
        sealed.onInformationalFrom = nil
        let head = PayloadRequestHead(try sealed.head(), hasBody: hasBody)
        let (seal, exchange) = session.seal(head, counter: counter)
        sealed.fields[.payloadEncryption] = seal.text
        if hasBody { sealed.body = try request.body.sealed(with: exchange.requestBody, fileSize: fileSize) }
        return (sealed, exchange)
    }

    private func open(
        _ response: HttpResponse,
        _ exchange: PayloadExchange,
        method: HttpMethod
    ) async throws -> HttpResponse {
        let fields = response.headers.fields
        let head = PayloadResponseHead(status: response.status.code, fields: fields, to: method)
        guard let seal = fields[.payloadEncryption] else { throw Self.refusal(response) }
        guard let key = exchange.open(head, seal), fields[.contentEncoding] == nil, !response.bodyStream.isDecoded
        else { throw PayloadEncryptionError.notAuthentic }
        try checkRedirect(response)
        var opened = response
        PayloadFields.open(&opened.headers.fields, hasBody: head.hasBody)
        // Servers and proxies set it after the response was sealed.
        opened.headers.fields[.date] = nil
        // A sealed response has this value. A proxy could let a cache store the decrypted response.
        opened.headers.fields[.cacheControl] = "no-store"
        for name in PayloadFields.caching { opened.headers.fields[name] = nil }
        if !head.hasBody {
            do throws(NetworkError) {
                _ = try await response.bodyStream.collect(upTo: 0)
            } catch {
                // There is a body, which is not part of the sealed response.
                if case .responseTooLarge = error { throw PayloadEncryptionError.notAuthentic }
                throw error
            }
            return opened.with(response.body == nil ? .stream(.empty) : .data(Data()))
        }
        do throws(JoseError) {
            if let body = response.body { return opened.with(.data(try key.open(body))) }
            let length = opened.headers.fields[.contentLength].flatMap { Int64($0) }
            let source = try OpenedPayload(response.bodyStream, with: key)
            return opened.with(.stream(ResponseBody(length: length, source: source)))
        } catch {
            throw PayloadEncryptionError.notAuthentic
        }
    }

    /// Refuses a redirect to a server to which the request would be sent unencrypted.
    private func checkRedirect(_ response: HttpResponse) throws(PayloadEncryptionError) {
        guard let url = Redirect.target(of: response), let target = try? RequestTarget(url: url),
            !origins.contains(target.url)
        else { return }
        throw .redirected(to: target.origin)
    }

    /// Returns the error for a response that is not encrypted.
    private static func refusal(_ response: HttpResponse) -> PayloadEncryptionError {
        let status = response.status.code
        guard let code = response.headers.fields[.payloadEncryptionError] else { return .notEncrypted(status: status) }
        return code == PayloadRefusal.unknownSession.rawValue ? .sessionEnded : .refused(status: status, code: code)
    }
}

/// The body of a decrypted response.
private enum OpenedBody {
    case data(Data)
    case stream(ResponseBody)
}

extension HttpResponse {
    /// Returns a copy with another body, and without trailer fields and informational responses.
    fileprivate func with(_ body: OpenedBody) -> HttpResponse {
        var copy = HttpResponse(status: status, headers: headers, request: request)
        copy.connection = connection
        copy.attempts = attempts
        switch body {
        case .data(let data): copy.body = data
        case .stream(let stream): copy.bodyStream = stream
        }
        return copy
    }
}
