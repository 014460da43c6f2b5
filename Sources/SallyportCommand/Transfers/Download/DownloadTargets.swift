import Foundation
import Sallyport

/// What is downloaded, and where to: the arguments of `download`, understood.
struct DownloadTargets: Equatable {
    /// Where a download goes.
    enum Place: Equatable {
        /// A file of this name.
        case file(String)
        /// A folder, under a name that the server or the URL gives.
        case folder(String)
    }

    /// The URLs to download.
    let addresses: [RequestURL]
    let place: Place

    /// Reads `URL [FILE]` or `URL…`, where the last argument is a file or a folder if it has no `://` in it.
    ///
    /// - Parameters:
    ///   - folder: The value of `--into`.
    ///   - isFolder: Whether there is a folder of a name.
    /// - Throws: A failure that says how to put it.
    init(_ arguments: [String], into folder: String?, isFolder: (String) -> Bool) throws(CommandFailure) {
        let last = arguments.count > 1 ? arguments.last : nil
        guard let target = last, !target.contains("://") else {
            addresses = arguments.map { RequestURL($0) }
            place = .folder(folder ?? ".")
            return
        }
        addresses = arguments.dropLast().map { RequestURL($0) }
        if folder != nil {
            throw CommandFailure(.usage, "\"\(target)\" is no URL, and --into says already where the files go")
        }
        if target == "-" {
            throw CommandFailure(.usage, "a download goes to a file; for standard output there is sallyport get")
        }
        if target.hasSuffix("/") || isFolder(target) {
            place = .folder(target)
        } else if addresses.count == 1 {
            place = .file(target)
        } else {
            throw CommandFailure(
                .usage,
                "several URLs go to a folder, and there is none of the name \(target): --into \(target) makes it"
            )
        }
    }

    /// The URLs, without users and passwords.
    var urls: [String] { addresses.map(\.text) }

    /// The same for the SDK.
    var destination: DownloadDestination {
        switch place {
        case .file(let path): .file(URL(fileURLWithPath: path))
        case .folder(let path): .folder(URL(fileURLWithPath: path, isDirectory: true))
        }
    }

    /// What a URL is called while it is not known what its file will be called.
    func name(of url: String) -> String {
        if case .file(let path) = place { return URL(fileURLWithPath: path).lastPathComponent }
        return FileNames.last(of: url)
    }
}
