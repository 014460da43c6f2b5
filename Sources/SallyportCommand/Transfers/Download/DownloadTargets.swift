import Foundation
import Sallyport
import SallyportTransfers

/// The files to download and their destination, from the arguments of `download` and a list.
struct DownloadTargets: Equatable {
    /// The destination of downloads.
    enum Target: Equatable {
        /// The file at a path.
        case file(String)
        /// A folder. The server or the URL determines the names of the files.
        case folder(String)
    }

    /// The files to download.
    let items: [DownloadItem]
    let target: Target
    /// The number of files that a list names. They follow the files of the arguments.
    private let listCount: Int

    /// Parses `URL [FILE]` or `URL…`. The last argument is a file or a folder if it is not a URL.
    ///
    /// - Parameters:
    ///   - folder: The value of `--into`.
    ///   - list: The files of a list. They follow the files of the arguments.
    ///   - isFolder: A closure that indicates whether a folder exists at a path.
    /// - Throws: A failure that explains the correct form.
    init(
        _ arguments: [String],
        into folder: String?,
        list: [DownloadItem] = [],
        isFolder: (String) -> Bool
    ) throws(CommandFailure) {
        if let first = arguments.first, arguments.last?.contains("://") == true, !RequestURL(first).text.contains("://")
        {
            let shown = VisibleText.line(Redaction.text(first), longest: 100)
            throw CommandFailure(
                .badURL,
                "\"\(shown)\" has no scheme; begin a URL with https://, and write a file or folder after the URL"
            )
        }
        listCount = list.count
        let last = arguments.count > 1 || !list.isEmpty ? arguments.last : nil
        guard let path = last, !RequestURL.isURL(path) else {
            items = arguments.map { DownloadItem(address: RequestURL($0)) } + list
            target = .folder(folder ?? ".")
            try checkPaths()
            return
        }
        items = arguments.dropLast().map { DownloadItem(address: RequestURL($0)) } + list
        if folder != nil {
            throw CommandFailure(.usage, "\"\(path)\" is not a URL, and --into already specifies the destination")
        }
        if path == "-" {
            throw CommandFailure(.usage, "a download needs a file; for standard output use sallyport get")
        }
        if path.hasSuffix("/") || isFolder(path) {
            target = .folder(path)
        } else if items.count == 1, list.isEmpty {
            target = .file(path)
        } else {
            throw CommandFailure(
                .usage,
                "several URLs need a folder, and there is no folder \(path): create it with --into \(path)"
            )
        }
        try checkPaths()
    }

    /// - Throws: A failure if a list gives two files the same name.
    private func checkPaths() throws(CommandFailure) {
        var paths: Set<String> = []
        for path in items.compactMap(\.path) where !paths.insert(path).inserted {
            throw CommandFailure(.usage, "the list has two files with the name \(path); give each its own name")
        }
    }

    /// The URLs, with the users that they specify.
    var addresses: [RequestURL] { items.map(\.address) }

    /// The URLs of the arguments or, if there are none, the URLs of the list. They have no users and passwords.
    var typedURLs: [String] {
        let typed = urls.dropLast(listCount)
        return typed.isEmpty ? urls : Array(typed)
    }

    /// The URLs, without users and passwords.
    var urls: [String] { addresses.map(\.text) }

    /// Returns the destination of a file for the SDK.
    func destination(of item: DownloadItem) -> DownloadDestination {
        switch target {
        case .file(let path): return .file(URL(fileURLWithPath: path))
        case .folder(let path):
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            return item.path.map { .file(folder.appendingPathComponent($0)) } ?? .folder(folder)
        }
    }

    /// Creates the folders of `--into` and of a list, unless they exist.
    ///
    /// - Throws: A failure if one cannot be created, or if a file argument is a device or its folder does not exist.
    func makeFolders() throws(CommandFailure) {
        switch target {
        case .file(let path):
            try WriteFailure.checkKind(of: path)
            try WriteFailure.checkFolder(of: "the file", path)
        case .folder(let path):
            try FileNames.makeFolder(path)
            for item in items {
                guard case .file(let file) = destination(of: item) else { continue }
                try FileNames.makeFolder(file.deletingLastPathComponent().path)
            }
        }
    }

    /// Returns the name to show for a download until the name of its file is known.
    func name(of item: DownloadItem) -> String {
        if case .file(let path) = target { return URL(fileURLWithPath: path).lastPathComponent }
        return item.path ?? FileNames.last(of: item.url)
    }

    /// Returns the files with the digests of a checksum file.
    ///
    /// - Throws: A failure that names a file that has no digest there.
    func items(with checksums: ChecksumList?) throws(CommandFailure) -> [DownloadItem] {
        guard let checksums else { return items }
        var items = items
        for index in items.indices where items[index].digest == nil {
            let item = items[index]
            let path: String? =
                switch target {
                case .file(let path): URL(fileURLWithPath: path).lastPathComponent
                case .folder: item.path
                }
            items[index].digest = try checksums.digest(of: path, at: item.url)
        }
        return items
    }
}
