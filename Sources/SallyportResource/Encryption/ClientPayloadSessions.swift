import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTransport

/// The current session of a client, which is opened when a request needs it.
final class ClientPayloadSessions: Sendable {
    /// The maximum duration of a handshake.
    private static let handshakeLimit = Duration.seconds(30)

    private struct Current: Sendable {
        let session: PayloadSession
        /// The time from which a new session is opened instead.
        let end: Duration
        /// The counter of the last request.
        var counter: UInt64
    }

    private let key: PayloadServerKey
    private let handshakeURL: String
    private let time: TimeSource
    private let current = Locked<Current?>(nil)
    /// Ensures that requests that are sent at the same time wait for one handshake.
    private let mutex = AsyncMutex()

    init(_ key: PayloadServerKey, handshakeURL: String, time: TimeSource = .system) {
        self.key = key
        self.handshakeURL = handshakeURL
        self.time = time
    }

    /// Returns a session and an unused counter for a request.
    ///
    /// - Throws: The failure of the handshake, or ``NetworkError/timeout(_:)`` if the request's time has passed before its end.
    func next(for request: HttpRequest, _ next: Next) async throws -> (session: PayloadSession, counter: UInt64) {
        if let found = count() { return found }
        let limit = min(next.timeLeft(for: request) ?? Self.handshakeLimit, Self.handshakeLimit)
        let expired = NetworkError.timeout(
            NetworkFailure(
                "the handshake of payload encryption took longer than \(Quantity.time(limit))",
                advice: "try again later"
            )
        )
        return try await withTimeLimit(limit, clock: time, orThrow: expired) { [self] in
            try await mutex.withLock { [self] in
                if let found = count() { return found }
                let opened = try await open(for: request, next)
                current.withLock { $0 = opened }
                return (opened.session, opened.counter)
            }
        }
    }

    /// Ends a session that the server does not have any more.
    func end(_ session: PayloadSession) {
        current.withLock { current in
            if current?.session.id == session.id { current = nil }
        }
    }

    /// Returns the current session and its next counter; `nil` if there is none. A session that must be replaced is removed first.
    private func count() -> (session: PayloadSession, counter: UInt64)? {
        let now = time.now()
        return current.withLock { current in
            guard let found = current, now < found.end, found.counter < PayloadRequestSeal.largestCounter else {
                current = nil
                return nil
            }
            current?.counter += 1
            return (found.session, found.counter + 1)
        }
    }

    /// Opens a session with the first key that the server has.
    private func open(for request: HttpRequest, _ next: Next) async throws -> Current {
        var refusal = PayloadEncryptionError.invalidKey("there is no key")
        for key in key.keys {
            do {
                return try await open(with: key, for: request, next)
            } catch let error as PayloadEncryptionError {
                guard case .handshakeRefused(_, PayloadRefusal.unknownKey.rawValue?) = error else {
                    throw error.networkError
                }
                refusal = error
            }
        }
        throw refusal.networkError
    }

    private func open(with key: JsonWebKey, for request: HttpRequest, _ next: Next) async throws -> Current {
        let start = time.now()
        let handshake: PayloadHandshake
        do throws(JoseError) {
            handshake = try PayloadHandshake(with: key)
        } catch {
            throw PayloadEncryptionError.invalidKey(error.description)
        }
        let response = try await next(message(handshake.request, for: request))
        defer { response.bodyStream.cancel() }
        guard response.status == .ok else {
            let code = response.headers.fields[.payloadEncryptionError]
            throw PayloadEncryptionError.handshakeRefused(status: response.status.code, code: code)
        }
        let answer = try await response.bodyStream.collect(upTo: PayloadHandshakeAnswer.maximumLength)
        do throws(JoseError) {
            let (session, lifetime) = try handshake.session(answeredBy: String(decoding: answer, as: UTF8.self))
            // Ends early, so that the server still has the session when a request arrives.
            let margin = min(30, Double(lifetime) / 10)
            return Current(session: session, end: start + .seconds(Double(lifetime) - margin), counter: 1)
        } catch {
            throw PayloadEncryptionError.handshakeNotAuthentic
        }
    }

    /// Returns the request of a handshake. It has the time limits of the request that needs the session.
    private func message(_ text: String, for request: HttpRequest) -> HttpRequest {
        var message = HttpRequest(url: handshakeURL)
        message.post(contentType: PayloadFields.handshakeType, body: text)
        message.setHeader(name: NetworkConstants.headerAccept, value: PayloadFields.handshakeType)
        message.setHeader(name: "Accept-Encoding", value: "identity")
        message.fields[.userAgent] = request.fields[.userAgent]
        message.action = Action(.openPayloadSession)
        message.carriesOwnCredentials = true
        message.requiresSecureTransport = request.requiresSecureTransport
        message.timeouts = request.timeouts
        message.timeout = request.timeout
        message.isTraced = request.isTraced
        return message
    }
}

extension ActionType {
    /// Opens a session of ``PayloadEncryption``.
    public static let openPayloadSession: Self = "OPEN_PAYLOAD_SESSION"
}
