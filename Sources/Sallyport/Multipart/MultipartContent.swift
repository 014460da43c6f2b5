import Foundation
import SallyportTransport

/// A stretch of a form's body.
enum MultipartPiece: Sendable {
    case data(Data)
    case file(URL, length: Int)
}

/// The bytes of a form, produced while they are sent. Each iteration gives the same bytes.
struct MultipartContent: AsyncSequence, Sendable {
    let pieces: [MultipartPiece]

    init(_ pieces: [MultipartPiece]) {
        self.pieces = pieces
    }

    /// The number of bytes.
    var length: Int64 {
        pieces.reduce(0) { length, piece in
            switch piece {
            case .data(let data): length + Int64(data.count)
            case .file(_, let fileLength): length + Int64(fileLength)
            }
        }
    }

    /// All bytes, if none of them is in a file.
    var inMemory: Data? {
        var bytes = Data()
        for piece in pieces {
            guard case .data(let data) = piece else { return nil }
            bytes += data
        }
        return bytes
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<MultipartPiece>
        private var file: OpenFile?

        fileprivate init(pieces: ArraySlice<MultipartPiece>) {
            self.pieces = pieces
        }

        mutating func next() async throws -> Data? {
            while true {
                if let chunk = try file?.next() { return chunk }
                file = nil
                switch pieces.popFirst() {
                case .data(let data): return data
                case .file(let url, let length): file = try OpenFile(url, length: length)
                case nil: return nil
                }
            }
        }
    }
}

/// A file that is being sent. Letting go of it closes it.
private final class OpenFile {
    private let url: URL
    private let handle: FileHandle
    private var left: Int

    init(_ url: URL, length: Int) throws {
        self.url = url
        left = length
        handle = try FileHandle(forReadingFrom: url)
    }

    deinit {
        try? handle.close()
    }

    /// The next chunk, or `nil` once all the bytes that the file had at first have been read.
    func next() throws -> Data? {
        if left == 0 { return nil }
        guard let chunk = try handle.read(upToCount: min(left, 65_536)), !chunk.isEmpty else {
            throw NetworkError.invalidRequest(
                NetworkFailure("the file \(url.path) became shorter while it was sent", phase: .send)
            )
        }
        left -= chunk.count
        return chunk
    }
}
