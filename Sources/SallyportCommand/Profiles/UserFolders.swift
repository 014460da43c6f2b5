import Foundation

/// The user's folders, as the environment specifies them.
enum UserFolders {
    /// Returns the home directory: `HOME` if it is an absolute path, or else the directory in the system's user database.
    static func home(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        folder("HOME", environment) ?? FileManager.default.homeDirectoryForCurrentUser
    }

    /// Returns the command's folder in one of the XDG base directories.
    ///
    /// - Parameters:
    ///   - variable: The environment variable of the base directory. Relative paths are ignored.
    ///   - standard: The path of the base directory in the home directory, if the variable is not set.
    static func sallyport(in variable: String, else standard: String, _ environment: [String: String]) -> URL {
        let base =
            folder(variable, environment) ?? home(environment).appendingPathComponent(standard, isDirectory: true)
        return base.appendingPathComponent("sallyport", isDirectory: true)
    }

    private static func folder(_ variable: String, _ environment: [String: String]) -> URL? {
        environment[variable].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
    }
}
