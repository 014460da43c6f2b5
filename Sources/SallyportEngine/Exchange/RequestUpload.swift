import Foundation
import HTTPTypes
import NIOCore
import SallyportStorage
import SallyportTransport

/// Uploads a produced body in its own task, while the caller waits for the response.
struct RequestUpload: Sendable {
    let exchange: Exchange
    let production: OutgoingBody.Production

    /// Sends the body. A failure ends the exchange.
    func run() async {
        guard let carrier = try? await exchange.carrierForUpload() else { return }
        let announced = exchange.request.trailers == nil ? production.length : nil
        let buffer = UploadBuffer(announced: announced) { buffer in carrier.send(buffer, for: exchange) }
        let lengthCheck = UploadLengthCheck(announced: production.length)
        do {
            carrier.send(buffer, for: exchange)
            try await production.produce(BodyWriter(buffer: buffer, lengthCheck: lengthCheck))
            try lengthCheck.finish()
            let trailers = try await exchange.request.trailers?()
            try trailers?.checkAsTrailers()
            buffer.finish(with: trailers)
        } catch is UploadStopped {
            // The exchange has been removed from its connection and ends elsewhere.
        } catch {
            // A complete response remains valid, even if it has not been read yet.
            if !exchange.isEnded { exchange.fail(NetworkError(uploading: error)) }
        }
    }
}

/// The writer through which a producer sends a body.
struct BodyWriter: Sendable {
    let buffer: UploadBuffer
    let lengthCheck: UploadLengthCheck

    /// Writes a chunk of any size.
    func write(_ chunk: Data) async throws {
        try Task.checkCancellation()
        try lengthCheck.add(chunk.count)
        try await buffer.add(chunk)
    }

    /// Writes all bytes of a reader.
    ///
    /// The connection reads directly as long as the reader does not block. Blocking reads run on another thread.
    func write(_ reader: any BodyReader) async throws {
        while true {
            try Task.checkCancellation()
            try await buffer.add { block, limit in try read(limit, of: reader, into: &block, mayWait: false) }
            let piece = try await runBlocking { () throws(any Error) in
                var piece = ByteBuffer()
                try read(UploadBuffer.capacity, of: reader, into: &piece, mayWait: true)
                return piece
            }
            if piece.readableBytes == 0 { return }
            try await buffer.add(piece)
        }
    }

    private func read(_ size: Int, of reader: any BodyReader, into bytes: inout ByteBuffer, mayWait: Bool) throws {
        let count = try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
            let piece = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(size))
            return try reader.read(into: piece, mayWait: mayWait) ?? 0
        }
        try lengthCheck.add(count)
    }
}

/// The error that a producer receives when its body is no longer needed.
struct UploadStopped: Error {}

/// Verifies that a produced body has its announced length.
final class UploadLengthCheck: Sendable {
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
    /// Checks that the fields are allowed as trailers (RFC 9110, section 6.5.1).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a field that must be in the head.
    fileprivate func checkAsTrailers() throws(NetworkError) {
        let headOnly: [HTTPField.Name] = [
            .contentLength, .transferEncoding, .authorization, .proxyAuthorization, .contentType, .contentEncoding,
        ]
        for field in self where headOnly.contains(field.name) || field.name.canonicalName == "host" {
            throw .invalidRequest("the field \(field.name) cannot be a trailer")
        }
    }
}
