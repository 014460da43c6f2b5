import Foundation
import HTTPTypes
import SallyportTransport

/// The sending of a produced body, by a task of its own while the caller waits for the response.
struct Upload: Sendable {
    let exchange: Exchange
    let production: OutgoingBody.Production

    /// Sends the body to its end; a failure ends the exchange.
    func run() async {
        guard let carrier = try? await exchange.carrierForUpload() else { return }
        let announced = exchange.request.trailers == nil ? production.length : nil
        let outbox = Outbox(announced: announced) { outbox in carrier.send(outbox, for: exchange) }
        let counter = ByteCounter(announced: production.length)
        do {
            carrier.send(outbox, for: exchange)
            try await production.produce(Outlet(outbox: outbox, counter: counter))
            try counter.finish()
            let trailers = try await exchange.request.trailers?()
            try trailers?.checkAsTrailers()
            outbox.finish(with: trailers)
        } catch is UploadStopped {
            // Whoever has taken the exchange off its connection says how it ends.
        } catch {
            // A response that is whole stands, though nobody has read it yet.
            if !exchange.isEnded { exchange.fail(NetworkError(uploading: error)) }
        }
    }
}

/// Thrown to the producer of a body that is not wanted any more.
struct UploadStopped: Error {}

/// Holds a produced body to the length that was announced for it.
final class ByteCounter: Sendable {
    private let announced: Int64?
    private let produced = Locked(Int64(0))

    init(announced: Int64?) {
        self.announced = announced
    }

    func add(_ count: Int) throws(NetworkError) {
        let total = produced.withLock { produced in
            produced += Int64(count)
            return produced
        }
        if let announced, total > announced { throw wrongLength("more than \(announced)") }
    }

    func finish() throws(NetworkError) {
        let total = produced.withLock { $0 }
        if let announced, total < announced { throw wrongLength("\(total)") }
    }

    private func wrongLength(_ produced: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the body was announced as \(announced ?? 0) bytes, but has \(produced)",
                phase: .send,
                advice: "announce the right length, or none"
            )
        )
    }
}

extension NetworkError {
    fileprivate init(uploading error: any Error) {
        self.init(wrapping: error, reason: "the request's body could not be produced")
        if failure.phase == nil { failure.phase = .send }
    }
}

extension HTTPFields {
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a field that must stand in the head (RFC 9110, section 6.5.1).
    fileprivate func checkAsTrailers() throws(NetworkError) {
        let headOnly: [HTTPField.Name] = [
            .contentLength, .transferEncoding, .authorization, .proxyAuthorization, .contentType, .contentEncoding,
        ]
        for field in self where headOnly.contains(field.name) || field.name.canonicalName == "host" {
            throw .invalidRequest("the field \(field.name) cannot be a trailer")
        }
    }
}
