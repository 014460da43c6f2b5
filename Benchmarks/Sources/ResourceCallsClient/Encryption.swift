import Crypto
import Foundation
import Measuring
import SallyportJOSE

/// The encryption of a body in memory: in segments, as payload encryption does it, or by AES-GCM alone (`raw`).
enum Encryption {
    /// The length of the pieces in which bodies from files are encrypted.
    private static let pieceLength = 256 << 10

    /// Encrypts as many bytes as the job has calls.
    static func seal(_ job: Job) async throws {
        let key = SymmetricKey(size: .bits256)
        let piece = Data(repeating: 7, count: pieceLength)
        let count = job.calls / pieceLength
        let isRaw = job.options["raw"] != nil
        let measurement = try await Measurement.of {
            var length = 0
            if isRaw {
                for _ in 0..<count { length += try AES.GCM.seal(piece, using: key).ciphertext.count }
            } else {
                var sealer = try StreamSealer(key: key)
                for _ in 0..<count { length += try sealer.seal(piece).count }
                length += try sealer.finish().count
            }
            guard length >= job.calls else { throw Unexpected(what: "\(length) bytes") }
        }
        measurement.report(calls: 1)
    }

    /// Decrypts a message of 16 MiB until as many bytes have been decrypted as the job has calls.
    static func open(_ job: Job) async throws {
        let key = SymmetricKey(size: .bits256)
        let piece = Data(repeating: 7, count: pieceLength)
        let count = (16 << 20) / pieceLength
        let rounds = job.calls / (count * pieceLength)
        let isRaw = job.options["raw"] != nil
        let pieces = isRaw ? try boxes(of: piece, count: count, key) : try message(of: piece, count: count, key)
        let measurement = try await Measurement.of {
            var length = 0
            for _ in 0..<rounds {
                if isRaw {
                    for piece in pieces { length += try AES.GCM.open(.init(combined: piece), using: key).count }
                } else {
                    var opener = try StreamOpener(key: key)
                    for piece in pieces { length += try opener.open(piece).count }
                    length += try opener.finish().count
                }
            }
            guard length >= rounds * count * pieceLength else { throw Unexpected(what: "\(length) bytes") }
        }
        measurement.report(calls: 1)
    }

    /// Returns copies of a piece, each encrypted by AES-GCM.
    private static func boxes(of piece: Data, count: Int, _ key: SymmetricKey) throws -> [Data] {
        try (0..<count).map { _ in
            guard let box = try AES.GCM.seal(piece, using: key).combined else { throw Unexpected(what: "the nonce") }
            return box
        }
    }

    /// Returns an encrypted message with copies of a piece, in pieces of the same length.
    private static func message(of piece: Data, count: Int, _ key: SymmetricKey) throws -> [Data] {
        var sealer = try StreamSealer(key: key)
        var message = Data()
        for _ in 0..<count { message += try sealer.seal(piece) }
        message += try sealer.finish()
        return stride(from: 0, to: message.count, by: pieceLength).map { message[$0...].prefix(pieceLength) }
    }
}
