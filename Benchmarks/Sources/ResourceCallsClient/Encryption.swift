import CMalloc
import Crypto
import Foundation
import Measuring
import SallyportJOSE

/// The encryption of a body in memory: in segments, as payload encryption does it, or by AES-GCM alone, in calls of a length (`raw`).
enum Encryption {
    /// The length of the pieces in which bodies from files are encrypted.
    private static let pieceLength = 256 << 10
    /// The length of the content that is decrypted repeatedly.
    private static let contentLength = 16 << 20

    /// Encrypts as many bytes as the job has calls.
    static func seal(_ job: Job) async throws {
        keepFreedMemory()
        let key = SymmetricKey(size: .bits256)
        let piece = Data(repeating: 7, count: pieceLength)
        let raw = rawLength(job)
        let nonce = try AES.GCM.Nonce(data: Data(count: 12))
        let measurement = try await Measurement.of {
            var length = 0
            if let raw {
                let content = piece.prefix(raw)
                for _ in 0..<pieces(in: job.calls, raw) {
                    length += try AES.GCM.seal(content, using: key, nonce: nonce).ciphertext.count
                }
            } else {
                var sealer = try StreamSealer(key: key)
                for _ in 0..<pieces(in: job.calls, pieceLength) {
                    sealer.append(piece)
                    while let segment = try sealer.nextSegment() { length += segment.count }
                }
                length += try sealer.finish().count
            }
            guard length >= job.calls else { throw Unexpected(what: "\(length) bytes") }
        }
        measurement.report(calls: 1)
    }

    /// Decrypts a message repeatedly, until as many bytes have been decrypted as the job has calls.
    static func open(_ job: Job) async throws {
        keepFreedMemory()
        let key = SymmetricKey(size: .bits256)
        let raw = rawLength(job)
        let encrypted = try raw.map { try boxes(of: $0, key) } ?? message(key)
        let measurement = try await Measurement.of {
            var length = 0
            for _ in 0..<pieces(in: job.calls, contentLength) {
                if raw != nil {
                    for box in encrypted { length += try AES.GCM.open(.init(combined: box), using: key).count }
                } else {
                    var opener = try StreamOpener(key: key)
                    for piece in encrypted {
                        opener.append(piece)
                        while let content = try opener.nextContent() { length += content.count }
                    }
                    length += try opener.finish().count
                }
            }
            guard length >= job.calls else { throw Unexpected(what: "\(length) bytes") }
        }
        measurement.report(calls: 1)
    }

    private static func rawLength(_ job: Job) -> Int? { job.options["raw"].flatMap { Int($0) } }

    /// Returns the number of pieces that contain a number of bytes.
    private static func pieces(in length: Int, _ pieceLength: Int) -> Int { (length + pieceLength - 1) / pieceLength }

    /// Lets the allocator reuse all freed memory.
    ///
    /// By default, it returns freed memory at the end of the heap to the system. Between none and a hundred pages of each piece
    /// would be allocated again, depending on the order of unrelated objects in the heap, and cost more than the encryption.
    private static func keepFreedMemory() {
        _ = mallopt(M_MMAP_THRESHOLD, 32 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 256 << 20)
    }

    /// Returns the content, each part of a length encrypted by AES-GCM.
    private static func boxes(of length: Int, _ key: SymmetricKey) throws -> [Data] {
        let content = Data(repeating: 7, count: length)
        return try (0..<pieces(in: contentLength, length)).map { _ in
            guard let box = try AES.GCM.seal(content, using: key).combined else { throw Unexpected(what: "the nonce") }
            return box
        }
    }

    /// Returns an encrypted message with the content, in pieces.
    private static func message(_ key: SymmetricKey) throws -> [Data] {
        var sealer = try StreamSealer(key: key)
        var message = Data()
        let piece = Data(repeating: 7, count: pieceLength)
        for _ in 0..<pieces(in: contentLength, pieceLength) {
            sealer.append(piece)
            while let segment = try sealer.nextSegment() { message += segment }
        }
        message += try sealer.finish()
        return stride(from: 0, to: message.count, by: pieceLength).map { message[$0...].prefix(pieceLength) }
    }
}
