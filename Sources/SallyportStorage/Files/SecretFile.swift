import Foundation

/// Files with a secret that the user, or the administrator of the machine, has written.
package enum SecretFile {
    /// Returns the contents of a private file, or of one that only root can replace, as Docker and Kubernetes mount them below
    /// `/run/secrets`; `nil` if it does not exist.
    ///
    /// - Parameter maximum: The maximum length in bytes.
    package static func read(_ path: String, upTo maximum: Int) throws(PrivateAccessError) -> Data? {
        do throws(PrivateAccessError) {
            return try PrivateFile.read(path, upTo: maximum)
        } catch {
            switch error {
            case .symbolicLink, .otherOwner, .accessibleToOthers: break
            default: throw error
            }
            guard let target = targetOfRoot(path) else { throw error }
            return try PrivateFile.read(target, upTo: maximum) { $0.isOfRoot && !$0.isWritableByOthers }
        }
    }

    /// The maximum number of links in a path.
    private static let maximumLinks = 16

    /// Returns the path without symbolic links, if only root can change what each of its components names; otherwise `nil`.
    private static func targetOfRoot(_ path: String) -> String? {
        var rest = Array(URL(fileURLWithPath: path).pathComponents.dropFirst().reversed())
        var resolved: [String] = []
        var links = 0
        while true {
            let current = "/" + resolved.joined(separator: "/")
            guard let state = FileState(URL(fileURLWithPath: current)), state.isOfRoot else { return nil }
            if rest.isEmpty { return current }
            // Kubernetes mounts secrets read-only, in directories whose permissions allow everybody to write.
            guard state.isDirectory, !state.isWritableByOthers || isReadOnly(current) else { return nil }
            switch rest.removeLast() {
            case ".": continue
            case "..": _ = resolved.popLast()
            case let name:
                let next = (resolved + [name]).joined(separator: "/")
                guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/" + next) else {
                    resolved.append(name)
                    continue
                }
                links += 1
                guard links <= maximumLinks, FileState(URL(fileURLWithPath: "/" + next))?.isOfRoot == true else {
                    return nil
                }
                if link.hasPrefix("/") { resolved = [] }
                rest += link.split(separator: "/").map(String.init).reversed()
            }
        }
    }

    private static func isReadOnly(_ path: String) -> Bool {
        var info = statvfs()
        return statvfs(path, &info) == 0 && info.f_flag & UInt(ST_RDONLY) != 0
    }
}
