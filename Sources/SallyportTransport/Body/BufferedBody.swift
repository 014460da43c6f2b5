import Foundation
import HTTPTypes

extension ResponseBody {
    /// A body of no bytes.
    public static let empty = ResponseBody(Data())

    /// A body whose bytes are in memory already, given as one chunk.
    public init(_ data: Data, trailers: HTTPFields = [:]) {
        self.init(length: Int64(data.count), source: BufferedBody(data: data, trailers: trailers))
    }
}

private struct BufferedBody: ResponseBodySource {
    let trailers: HTTPFields
    /// `nil` once it has been given up.
    private let unread: Locked<Data?>

    init(data: Data, trailers: HTTPFields) {
        unread = Locked(data)
        self.trailers = trailers
    }

    func read() async throws(NetworkError) -> Data? {
        let chunk = unread.withLock { unread in
            defer { if unread != nil { unread = Data() } }
            return unread
        }
        guard let chunk else { throw .cancelled(NetworkFailure("the body was given up", phase: .body)) }
        return chunk.isEmpty ? nil : chunk
    }

    func cancel() {
        unread.withLock { if $0?.isEmpty == false { $0 = nil } }
    }
}
