import Foundation
import Sallyport
import SallyportStorage

/// The file of a recording.
package enum RecordingFile {
    /// Returns the file of a recording in the folder `Recordings` beside a source file.
    ///
    /// - Parameter name: The name without extension, or a path below the folder.
    package static func url(_ name: String, besideSource path: String) throws(RecordingError) -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isValid = parts.allSatisfy { part in
            !part.isEmpty && part.first != "." && part.utf8.count <= 200
                && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" && $0 != ":" }
        }
        guard isValid else { throw .invalidName(name) }
        return URL(fileURLWithPath: path).deletingLastPathComponent()
            .appendingPathComponent("Recordings").appendingPathComponent(name + ".har")
    }

    /// Reads the calls of any HAR file; `nil` if it does not exist.
    static func read(_ file: URL, upTo maximum: Int) throws(RecordingError) -> [RecordedExchange]? {
        do {
            guard let data = try FileSystem.content(of: file, upTo: maximum) else {
                let advice = "it is longer than \(maximum) bytes; raise maximumFileSize of the recording's options"
                throw RecordingError.unreadableFile(path: file.path, reason: advice)
            }
            let entries = try HttpArchive(data, maximumSize: maximum).entries
            return entries.enumerated().compactMap { RecordedExchange($1, number: $0 + 1) }
        } catch let error as FileSystemError where error.code == ENOENT {
            return nil
        } catch let error as RecordingError {
            throw error
        } catch {
            throw .unreadableFile(path: file.path, reason: "\(error)")
        }
    }

    /// Replaces the file with the calls, and creates its folder. The secrets in the calls must already be masked.
    static func write(_ calls: [RecordedExchange], to file: URL) throws(RecordingError) {
        do {
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let data = try HttpArchive(entries: calls.compactMap(\.entry)).data() + Data("\n".utf8)
            try data.write(to: file, options: .atomic)
        } catch {
            throw .unwritableFile(path: file.path, reason: error.localizedDescription)
        }
    }
}
