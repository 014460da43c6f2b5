import Foundation

/// The files and folders of transfers, as the user names them.
enum FileNames {
    /// Whether there is a folder of a name.
    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Makes a folder, unless it is there.
    static func makeFolder(_ path: String) throws(CommandFailure) {
        if isFolder(path) { return }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let reason = (error as NSError).localizedDescription
            throw CommandFailure(.writeError, "the folder \(path) cannot be made: \(reason)")
        }
    }

    /// The last part of a URL, or its host if there is none.
    static func last(of url: String) -> String {
        let parsed = URL(string: url)
        let last = parsed?.lastPathComponent ?? ""
        return last.isEmpty || last == "/" ? parsed?.host ?? url : last
    }

    /// The path of a file, from the current folder on where it is in it.
    static func short(_ file: URL) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return file.path.hasPrefix(current) ? String(file.path.dropFirst(current.count)) : file.path
    }
}
