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
    private let unread: Locked<Data>

    init(data: Data, trailers: HTTPFields) {
        unread = Locked(data)
        self.trailers = trailers
    }

    func read() async throws(NetworkError) -> Data? {
        let chunk = unread.withLock { unread in
            defer { unread = Data() }
            return unread
        }
        return chunk.isEmpty ? nil : chunk
    }

    func cancel() {
        unread.withLock { $0 = Data() }
    }
}
