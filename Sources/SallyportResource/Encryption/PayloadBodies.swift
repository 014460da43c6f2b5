import Foundation
import HTTPTypes
import SallyportJOSE
import SallyportTransport

extension RequestBody {
    /// A Boolean value that indicates whether there are bytes to encrypt, or may be.
    var hasPayload: Bool {
        switch self {
        case .none: false
        case .data(let data): !data.isEmpty
        // A stream may produce bytes although its declared length is 0.
        case .file, .stream: true
        }
    }

    /// Returns the body encrypted with a key. A body that is not in memory is encrypted while it is sent.
    ///
    /// - Parameter fileSize: The size of the file if the body is one; `nil` if it is unknown.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a declared length that no body has.
    func sealed(with key: PayloadBodyKey, fileSize: Int64? = nil) throws -> RequestBody {
        switch self {
        case .none: self
        case .data(let data) where data.count <= BodyStream.pieceSize: .data(try key.seal(data))
        case .data(let data): try sealedStream(with: key, length: Int64(data.count))
        case .file: try sealedStream(with: key, length: fileSize)
        case .stream(let stream): try sealedStream(with: key, length: stream.length)
        }
    }

    private func sealedStream(with key: PayloadBodyKey, length: Int64?) throws(NetworkError) -> RequestBody {
        if let length, length > PayloadBodyLength.longest {
            throw .invalidRequest("a body of \(length) bytes is too long to be encrypted")
        }
        let encrypted = length.map { StreamSealer.encryptedLength(of: $0) }
        let stream = BodyStream(length: encrypted, isReplayable: isReplayable) { write in
            let sealing = try PayloadBodySealing(key, length: length)
            try await forEachChunk { chunk in
                await sealing.append(chunk)
                while let segment = try await sealing.nextSegment() { try await write(segment) }
            }
            try await write(sealing.finish())
        }
        return .stream(stream)
    }
}

/// Encrypts a body in pieces.
private actor PayloadBodySealing {
    private var sealer: StreamSealer?
    private let length: Int64?
    private var count: Int64 = 0

    init(_ key: PayloadBodyKey, length: Int64?) throws(JoseError) {
        sealer = try key.sealer()
        self.length = length
    }

    func append(_ piece: Data) {
        count += Int64(piece.count)
        sealer?.append(piece)
    }

    func nextSegment() throws(JoseError) -> Data? {
        try sealer?.nextSegment()
    }

    /// Returns the last segment, which marks the body as complete.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the body does not have its declared length.
    func finish() throws -> Data {
        if let length, count != length {
            throw NetworkError.invalidRequest("the body has \(count) bytes, not the declared \(length)")
        }
        return try sealer.take()?.finish() ?? Data()
    }
}

/// Decrypts the body of a response while it is read. Bytes are returned after they have been verified.
actor OpenedPayload: ResponseBodySource {
    private let encrypted: ResponseBody
    /// The decryption; `nil` after the last bytes have been returned.
    private var opener: StreamOpener?
    private var failure: NetworkError?

    init(_ encrypted: ResponseBody, with key: PayloadBodyKey) throws(JoseError) {
        self.encrypted = encrypted
        opener = try key.opener()
    }

    func read() async throws(NetworkError) -> Data? {
        if let failure { throw failure }
        do {
            var pieces = encrypted.makeAsyncIterator()
            while opener != nil {
                if let content = try opener?.nextContent() { return content }
                guard let piece = try await pieces.next() else {
                    let rest = try opener.take()?.finish() ?? Data()
                    return rest.isEmpty ? nil : rest
                }
                opener?.append(piece)
            }
            return nil
        } catch {
            encrypted.cancel()
            let failure =
                error is JoseError
                ? PayloadEncryptionError.notAuthentic.networkError
                : NetworkError(wrapping: error, reason: "the encrypted body cannot be read")
            self.failure = failure
            throw failure
        }
    }

    /// None, because trailer fields are not encrypted.
    nonisolated var trailers: HTTPFields { [:] }

    nonisolated func cancel() { encrypted.cancel() }
}
