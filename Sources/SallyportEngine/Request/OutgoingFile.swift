import Foundation
import SallyportTransport

/// A file as a request's body.
struct OutgoingFile: Sendable {
    private let url: URL
    private let version: FileVersion

    var length: Int64 { version.size }

    /// - Throws: ``NetworkError/invalidRequest(_:)`` when it cannot be read.
    init(_ url: URL) throws(NetworkError) {
        self.url = url
        do throws(SentFile.Problem) {
            version = try SentFile.version(of: url)
        } catch {
            throw error.networkError(url, phase: nil)
        }
    }

    /// - Throws: ``NetworkError/invalidRequest(_:)`` when it is not what it was.
    func open() async throws(NetworkError) -> any BodyReader {
        do throws(SentFile.Problem) {
            let file = try await SentFile.open(url)
            guard file.version == version else { throw SentFile.Problem(text: "was changed", isChange: true) }
            return FileReader(url: url, file: file)
        } catch {
            throw error.networkError(url)
        }
    }
}

private struct FileReader: BodyReader {
    let url: URL
    let file: SentFile

    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws(NetworkError) -> Int? {
        do throws(SentFile.Problem) {
            return try file.read(into: bytes, mayWait: mayWait)
        } catch {
            throw error.networkError(url)
        }
    }
}
