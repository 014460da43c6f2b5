import Foundation
import SallyportStorage
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The reason why a file of the cache cannot be used.
enum CacheFileError: Error {
    /// The file is not one that a ``CacheFileWriter`` has completed, or it was changed.
    case damaged
    case system(FileSystemError)

    /// A Boolean value that indicates whether the file does not exist.
    var isMissing: Bool {
        guard case .system(let error) = self else { return false }
        return error.code == ENOENT || error.code == ENOTDIR
    }
}

/// The format of a file with a stored response.
///
/// | Offset | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 8 | the name and version of the format |
/// | 8 | 4 | the length of the head |
/// | 12 | 8 | the length of the body |
/// | 20 | 32 | the SHA-256 digest of the first 20 bytes, the head and the segment digests |
/// | 52 | | the head |
/// | | | the body |
/// | | 32 each | the SHA-256 digests of the body's segments |
///
/// Numbers are in big-endian order. The lengths determine the length of the file, so bytes that are missing or added are
/// detected before anything is read.
enum CacheFileFormat {
    static let name = Data("SPCACHE1".utf8)
    static let lengthsSize = 20
    static let digestSize = 32
    static let headOffset = lengthsSize + digestSize
    /// The number of bytes of the body that have a common digest.
    static let segmentSize = 64 << 10
    /// The maximum length of the head, so that a damaged length does not allocate memory.
    static let maximumHeadSize = 1 << 20

    static func lengths(head: Int, body: Int64) -> Data {
        var data = name
        withUnsafeBytes(of: UInt32(head).bigEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(body).bigEndian) { data.append(contentsOf: $0) }
        return data
    }

    static func segmentCount(body: Int64) -> Int64 { (body + Int64(segmentSize) - 1) / Int64(segmentSize) }

    /// Returns the digest that protects all bytes except the body. The segment digests protect the body.
    static func digest(lengths: Data, head: Data, segments: Data) -> Data {
        var hash = SHA256()
        hash.update(data: lengths)
        hash.update(data: head)
        hash.update(data: segments)
        return Data(hash.finalize())
    }

    static func digest(ofSegment bytes: Data) -> Data { Data(SHA256.hash(data: bytes)) }
}

/// An open file with a stored response. Its lengths, head and segment digests have been verified.
///
/// The file can be replaced or removed while it is open: the body remains available.
final class CacheFile: Sendable {
    let head: Data
    let bodyLength: Int64
    private let file: OpenedFile
    private let segmentDigests: Data

    /// Opens a file. Blocks for the disk.
    ///
    /// - Throws: ``CacheFileError/system(_:)`` with `ENOENT` if it does not exist.
    init(_ url: URL) throws(CacheFileError) {
        let format = CacheFileFormat.self
        do throws(FileSystemError) {
            file = try OpenedFile(url)
        } catch {
            // Not a regular file, or a symbolic link.
            throw [EINVAL, EISDIR, ELOOP].contains(error.code) ? .damaged : .system(error)
        }
        let start = try Self.read(format.headOffset, at: 0, of: file)
        let lengths = start.prefix(format.lengthsSize)
        let headLength = Int64(Self.number(start[8..<12]))
        let bodyNumber = Self.number(start[12..<20])
        guard start.starts(with: format.name), headLength <= format.maximumHeadSize, bodyNumber < 1 << 48 else {
            throw .damaged
        }
        bodyLength = Int64(bodyNumber)
        let digestsLength = format.segmentCount(body: bodyLength) * Int64(format.digestSize)
        let bodyOffset = Int64(format.headOffset) + headLength
        guard file.length == bodyOffset + bodyLength + digestsLength else { throw .damaged }
        head = try Self.read(Int(headLength), at: Int64(format.headOffset), of: file)
        segmentDigests = try Self.read(Int(digestsLength), at: bodyOffset + bodyLength, of: file)
        guard format.digest(lengths: lengths, head: head, segments: segmentDigests) == start[format.lengthsSize...]
        else { throw .damaged }
    }

    /// Returns bytes of the body after verifying their segments; none at the end. Blocks for the disk.
    ///
    /// - Parameters:
    ///   - offset: The position of the first byte.
    ///   - count: The maximum number of bytes. If it extends beyond a segment, but not to the end of the body, only complete segments are
    ///     returned, so that the next call need not read the last one again.
    func body(at offset: Int64, upTo count: Int) throws(CacheFileError) -> Data {
        let size = Int64(CacheFileFormat.segmentSize)
        guard offset >= 0, offset < bodyLength, count > 0 else { return Data() }
        let start = offset / size * size
        let requested = min(bodyLength, offset + Int64(count))
        let isLast = requested == bodyLength || requested - start <= size
        let end = isLast ? requested : max(start + size, requested / size * size)
        let last = min(bodyLength, (end + size - 1) / size * size)
        let bodyOffset = Int64(CacheFileFormat.headOffset + head.count)
        let bytes = try Self.read(Int(last - start), at: bodyOffset + start, of: file)
        for position in stride(from: 0, to: bytes.count, by: Int(size)) {
            let segment = bytes[position..<min(position + Int(size), bytes.count)]
            let number = (Int(start) + position) / Int(size)
            let digest = segmentDigests.dropFirst(number * CacheFileFormat.digestSize)
            guard CacheFileFormat.digest(ofSegment: segment) == digest.prefix(CacheFileFormat.digestSize) else {
                throw .damaged
            }
        }
        return bytes[Int(offset - start)..<Int(end - start)]
    }

    /// Returns a Boolean value that indicates whether a URL still names this file and not one that has replaced it.
    func isAt(_ url: URL) -> Bool { file.isAt(url) }

    private static func read(_ count: Int, at offset: Int64, of file: OpenedFile) throws(CacheFileError) -> Data {
        var bytes = Data(count: count)
        do throws(FileSystemError) {
            let read = try bytes.withBytes { buffer throws(FileSystemError) in try file.read(into: buffer, at: offset) }
            guard read == count else { throw FileSystemError(code: 0, attempt: "is too short") }
        } catch {
            throw error.code == 0 ? .damaged : .system(error)
        }
        return bytes
    }

    private static func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
