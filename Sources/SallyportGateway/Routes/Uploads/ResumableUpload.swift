import Crypto
import Foundation
import NIOCore
import Sallyport
import SallyportStorage

/// The state of one resumable upload: its length and the hash so far. The content is not stored.
final class ResumableUpload: Sendable {
    /// The progress of the upload.
    struct Status: Sendable, Equatable {
        var offset: Int64 = 0
        /// The length of the upload, if the client has announced it.
        var length: Int64?
        var isComplete = false
        /// The digest of a complete upload.
        var sha256: String?
    }

    private struct State {
        var status = Status()
        var hash = SHA256()
        /// The number of the newest request for this upload. Only this request may append.
        var writer = 0
    }

    private let state = Locked(State())

    /// The maximum length of the content of one request; `nil` for no limit.
    let maximumPartSize: Int64?

    init(length: Int64?, maximumPartSize: Int64?) {
        self.maximumPartSize = maximumPartSize
        state.withLock { $0.status.length = length }
    }

    var status: Status { state.withLock { $0.status } }

    /// Begins a request, and prevents all earlier requests from appending. The returned status is therefore valid until the new
    /// request appends.
    ///
    /// - Returns: The number of the request, and the status.
    func enter() -> (writer: Int, status: Status) {
        state.withLock { state in
            state.writer += 1
            return (state.writer, state.status)
        }
    }

    /// Stores the announced length.
    ///
    /// - Returns: `false` if another length was announced before, or more bytes have been received.
    func expect(_ length: Int64) -> Bool {
        state.withLock { state in
            if state.status.length == nil { state.status.length = length }
            return state.status.length == length && state.status.offset <= length
        }
    }

    /// Appends content.
    ///
    /// - Throws: ``UploadRefusal`` if there is a newer request, or more content than was announced.
    func append(_ bytes: ByteBuffer, by writer: Int) throws {
        try state.withLock { state in
            guard state.writer == writer else { throw UploadRefusal.superseded }
            let offset = state.status.offset + Int64(bytes.readableBytes)
            guard offset <= state.status.length ?? .max else { throw UploadRefusal.inconsistentLength }
            state.hash.update(data: bytes.readableBytesView)
            state.status.offset = offset
        }
    }

    /// Completes the upload.
    ///
    /// - Throws: ``UploadRefusal`` if there is a newer request, or content is missing.
    func complete(by writer: Int) throws -> Status {
        try state.withLock { state in
            guard state.writer == writer else { throw UploadRefusal.superseded }
            guard state.status.offset == state.status.length ?? state.status.offset else {
                throw UploadRefusal.inconsistentLength
            }
            state.status.length = state.status.offset
            state.status.isComplete = true
            state.status.sha256 = state.hash.finalize().hexadecimal
            return state.status
        }
    }
}

/// The uploads that can be resumed. Their number and the time since their last use are limited.
actor ResumableUploads {
    static let limit = 1024
    static let lifetime = 3600

    private var uploads = ExpiringTable<String, ResumableUpload>(limit: limit)

    /// - Returns: The upload's name, which cannot be guessed; `nil` if the memory for uploads is used up.
    func add(_ upload: ResumableUpload) -> String? {
        let name = Secret.randomName()
        let now = Date()
        return uploads.insertNew(upload, for: name, until: Self.end(after: now), now: now) ? name : nil
    }

    func upload(named name: String) -> ResumableUpload? {
        let now = Date()
        guard let upload = uploads.value(for: name, now: now) else { return nil }
        uploads.extend(name, until: Self.end(after: now))
        return upload
    }

    func remove(_ name: String) {
        uploads.remove(name)
    }

    private static func end(after now: Date) -> Date { now.addingTimeInterval(Double(lifetime)) }
}
