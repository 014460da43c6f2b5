import Foundation
import SallyportTransport

extension SessionRequest.Source {
    /// A file as a task can send it: from the disk, or on Linux from memory.
    ///
    /// FoundationNetworking reads files in the background, and traps when a task is cancelled meanwhile.
    static func reading(_ url: URL) throws(NetworkError) -> Self {
        #if canImport(Darwin)
        return .file(url)
        #else
        do {
            return .data(try Data(contentsOf: url))
        } catch {
            throw .invalidRequest(NetworkFailure("the file \(url.path) cannot be read", underlying: error))
        }
        #endif
    }
}
