import Foundation

/// The folders in which the user keeps files, as the environment names them.
enum UserFolders {
    /// Returns the home directory: `HOME` if that is an absolute path, else the one in the system's list of users.
    static func home(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        folder("HOME", environment) ?? FileManager.default.homeDirectoryForCurrentUser
    }

    /// Returns the command's folder in one of the XDG base directories.
    ///
    /// - Parameters:
    ///   - variable: The variable that names the base directory, if it is an absolute path.
    ///   - standard: The path of the base directory in the home directory, if the variable names none.
    static func sallyport(in variable: String, else standard: String, _ environment: [String: String]) -> URL {
        let base =
            folder(variable, environment) ?? home(environment).appendingPathComponent(standard, isDirectory: true)
        return base.appendingPathComponent("sallyport", isDirectory: true)
    }

    private static func folder(_ variable: String, _ environment: [String: String]) -> URL? {
        environment[variable].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
    }
}
