import Foundation
import Sallyport
import SallyportTransfers

/// The URLs and the destination of downloads, parsed from the arguments of `download`.
struct DownloadTargets: Equatable {
    /// The destination of downloads.
    enum Target: Equatable {
        /// The file at a path.
        case file(String)
        /// A folder, in which the server or the URL determines the names.
        case folder(String)
    }

    /// The URLs to download.
    let addresses: [RequestURL]
    let target: Target

    /// Parses `URL [FILE]` or `URL…`. The last argument is a file or a folder if it does not contain `://`.
    ///
    /// - Parameters:
    ///   - folder: The value of `--into`.
    ///   - isFolder: A closure that indicates whether a folder exists at a path.
    /// - Throws: A failure that explains the correct form.
    init(_ arguments: [String], into folder: String?, isFolder: (String) -> Bool) throws(CommandFailure) {
        let last = arguments.count > 1 ? arguments.last : nil
        guard let path = last, !path.contains("://") else {
            addresses = arguments.map { RequestURL($0) }
            target = .folder(folder ?? ".")
            return
        }
        addresses = arguments.dropLast().map { RequestURL($0) }
        if folder != nil {
            throw CommandFailure(.usage, "\"\(path)\" is not a URL, and --into already specifies the destination")
        }
        if path == "-" {
            throw CommandFailure(.usage, "a download needs a file; for standard output use sallyport get")
        }
        if path.hasSuffix("/") || isFolder(path) {
            target = .folder(path)
        } else if addresses.count == 1 {
            target = .file(path)
        } else {
            throw CommandFailure(
                .usage,
                "several URLs need a folder, and there is no folder \(path): create it with --into \(path)"
            )
        }
    }

    /// The URLs, without users and passwords.
    var urls: [String] { addresses.map(\.text) }

    /// The destination for the SDK.
    var destination: DownloadDestination {
        switch target {
        case .file(let path): .file(URL(fileURLWithPath: path))
        case .folder(let path): .folder(URL(fileURLWithPath: path, isDirectory: true))
        }
    }

    /// Returns the name to show for a URL until the name of its file is known.
    func name(of url: String) -> String {
        if case .file(let path) = target { return URL(fileURLWithPath: path).lastPathComponent }
        return FileNames.last(of: url)
    }
}
