import ClientTestSupport
import Foundation
import Sallyport
import SallyportTransfers
import TestSupport

/// Returns pseudo-random, deterministic bytes.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    var state = UInt32(seed) &* 2_654_435_761 | 1
    let words = (0..<(count + 3) / 4).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}

extension ScriptStep {
    /// Returns the head of a response.
    static func head(_ status: String, _ fields: String...) -> ScriptStep {
        .send((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// The strong entity tag of a file.
let taggedA = "ETag: \"a\""

extension URL {
    /// Returns the names of the files in a folder, including hidden ones.
    var fileNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

/// Returns the partial file of a download to `map.zip`.
func partialFile(in folder: URL) -> URL { folder.appendingPathComponent(".map.zip.sallyport") }

/// Downloads to `map.zip` in a folder; retries do not wait.
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

/// Returns the error that a download ends with.
func failure(of transfer: Transfer<DownloadedFile>) async -> TransferError? {
    guard case .failure(let error) = await transfer.result else { return nil }
    return error
}
