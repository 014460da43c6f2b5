import Foundation

/// Helpers for the names of files and folders.
enum FileNames {
    /// Returns a Boolean value that indicates whether a folder exists at a path.
    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Creates a folder unless it exists.
    static func makeFolder(_ path: String) throws(CommandFailure) {
        if isFolder(path) { return }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw WriteFailure.of("the folder", path, error, attempt: "cannot be created")
        }
    }

    /// Returns the last path component of a URL, or its host if it has no path.
    static func last(of url: String) -> String {
        let parsed = URL(string: url)
        let last = parsed?.lastPathComponent ?? ""
        return last.isEmpty || last == "/" ? parsed?.host ?? url : last
    }

    /// Returns the path of a file, relative to the current folder if the file is in it.
    static func short(_ file: URL) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return file.path.hasPrefix(current) ? String(file.path.dropFirst(current.count)) : file.path
    }
}
