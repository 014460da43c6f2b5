import Crypto
import NIOCore
import Sallyport

/// One upload, of which nothing is kept but its length and the hash so far.
final class ResumableUpload: Sendable {
    /// What is known of it.
    struct Status: Sendable, Equatable {
        var offset: Int64 = 0
        /// How long it is to be, once the client has said so.
        var length: Int64?
        var isComplete = false
        /// The digest, once it is complete.
        var sha256: String?
    }

    private struct State {
        var status = Status()
        var hash = SHA256()
        /// The number of the request that may append: the newest that was about this upload.
        var writer = 0
    }

    private let state = Locked(State())

    /// The largest part that is taken in one request; `nil` for no limit.
    let largestPart: Int64?

    init(length: Int64?, largestPart: Int64?) {
        self.largestPart = largestPart
        state.withLock { $0.status.length = length }
    }

    var status: Status { state.withLock { $0.status } }

    /// Shuts out all earlier requests, so that what is told of it now stays true until the client appends more.
    ///
    /// - Returns: The number of the request, and what is known now.
    func enter() -> (writer: Int, status: Status) {
        state.withLock { state in
            state.writer += 1
            return (state.writer, state.status)
        }
    }

    /// Takes note of the length.
    ///
    /// - Returns: Whether it is the one that was told before, if one was.
    func expect(_ length: Int64) -> Bool {
        state.withLock { state in
            if state.status.length == nil { state.status.length = length }
            return state.status.length == length && state.status.offset <= length
        }
    }

    /// - Throws: ``UploadRefusal`` when another request has come since, or the bytes are more than were announced.
    func append(_ bytes: ByteBuffer, by writer: Int) throws {
        try state.withLock { state in
            guard state.writer == writer else { throw UploadRefusal.superseded }
            let offset = state.status.offset + Int64(bytes.readableBytes)
            guard offset <= state.status.length ?? .max else { throw UploadRefusal.inconsistentLength }
            state.hash.update(data: bytes.readableBytesView)
            state.status.offset = offset
        }
    }

    /// - Throws: ``UploadRefusal`` when another request has come since, or bytes are missing.
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
