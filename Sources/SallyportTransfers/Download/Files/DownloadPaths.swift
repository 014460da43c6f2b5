import Foundation
import Sallyport
import SallyportStorage

#if canImport(Darwin)
import Darwin
#endif

/// The paths of the files that belong to a download: the partial file, its journal, and the finished file.
struct DownloadPaths: Sendable, Hashable {
    /// The maximum length of the finished file's name, in bytes of UTF-8.
    static let maximumNameLength = 255

    private static let suffix = ".sallyport"

    /// The folder that contains all of the files.
    let folder: URL

    /// The name of the finished file; `nil` if the server's response determines it.
    let name: String?

    /// The file that holds the bytes until it is complete.
    let partialFile: URL

    /// The journal of the partial file.
    let journal: URL

    /// - Parameter key: The digest of the URL, which identifies the partial file in a folder.
    init(_ destination: DownloadDestination, key: String) {
        let stem: String
        switch destination {
        case .file(let url):
            let url = url.standardizedFileURL
            folder = url.deletingLastPathComponent()
            name = url.lastPathComponent
            stem = Self.shortened(url.lastPathComponent)
        case .folder(let url):
            folder = url.standardizedFileURL
            name = nil
            stem = "download-\(key.prefix(16))"
        }
        partialFile = folder.appendingPathComponent(".\(stem)\(Self.suffix)")
        journal = folder.appendingPathComponent(".\(stem)\(Self.suffix)-journal")
    }

    /// - Throws: ``TransferError`` if the folder does not exist, or no file can be created in it.
    func checkFolder() throws(TransferError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw TransferError(.file(folder, "there is no such folder; create it first"))
        }
        guard access(folder.path, W_OK | X_OK) == 0 else {
            throw TransferError(.file(folder, "no file can be created in this folder: permission denied"))
        }
    }

    /// - Throws: ``TransferError`` if the finished file cannot have this name because of an existing file or folder.
    func check(_ name: String, ifExists existing: DownloadOptions.ExistingFile) throws(TransferError) {
        let url = folder.appendingPathComponent(name)
        guard let state = FileState(url) else { return }
        switch existing {
        case .fail:
            try Self.checkKind(of: url)
            throw TransferError(.fileExists(url))
        case .replace where state.isDirectory:
            throw TransferError(.file(url, "a folder cannot be replaced by a file"))
        case .replace: try Self.checkKind(of: url)
        case .number: break
        }
    }

    /// - Throws: ``TransferError`` if there is a device, pipe or socket at a URL, or a symbolic link to one. A download
    ///   would replace it by a regular file.
    static func checkKind(of url: URL) throws(TransferError) {
        guard let state = FileState(url, followingLinks: true), !state.isFile, !state.isDirectory else { return }
        throw TransferError(.file(url, "it is not a regular file, so a download cannot replace it"))
    }

    /// Returns the permissions of a file that a download replaces; `nil` if there is no regular file. For a symbolic link, the
    /// permissions of its target are returned.
    static func permissions(of url: URL) -> mode_t? {
        var info = stat()
        guard stat(url.path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return info.st_mode & 0o777
    }

    /// Returns a name that is short enough to append the suffixes. Different names stay different.
    private static func shortened(_ name: String) -> String {
        let maximum = 200
        if name.utf8.count <= maximum { return name }
        var beginning = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            bytes += String(scalar).utf8.count
            if bytes > maximum - 20 { break }
            beginning.append(scalar)
        }
        return "\(String(beginning))-\(String(BlockSum.of(name.utf8), radix: 16))"
    }

    /// Returns a name with a number: `map (2).zip` for 2. For 1 it is the name itself.
    static func numbered(_ name: String, _ number: Int) -> String {
        if number <= 1 { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}
