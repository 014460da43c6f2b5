import Foundation
import Sallyport
import TestSupport

/// Bytes that look random, and are the same each time.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    var state = UInt32(seed) &* 2_654_435_761 | 1
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

extension ScriptStep {
    /// The head of a response.
    static func head(_ status: String, _ fields: String...) -> ScriptStep {
        .send((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// What a server says of a file that can be had in ranges.
let taggedA = "ETag: \"a\""

extension URL {
    /// The names of the files in a folder, hidden ones included.
    var fileNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

/// Where a download to `map.zip` keeps its bytes.
func partialFile(in folder: URL) -> URL { folder.appendingPathComponent(".map.zip.sallyport") }

/// Downloads to `map.zip` in a folder, with retries that do not wait.
func download(
    from server: ScriptedServer,
    to folder: URL,
    attempts: Int = 1,
    _ change: (inout DownloadOptions) -> Void = { _ in }
) -> Transfer<DownloadedFile> {
    var options = DownloadOptions()
    options.retry = .constant(attempts: attempts, delay: .zero)
    change(&options)
    return HttpClient.createClient().download(
        makeRequest("http://\(server.authority)/map.zip?key=secret"),
        to: .file(folder.appendingPathComponent("map.zip")),
        options: options
    )
}

/// The error that a download ends with.
func failure(of transfer: Transfer<DownloadedFile>) async -> TransferError? {
    guard case .failure(let error) = await transfer.result else { return nil }
    return error
}
