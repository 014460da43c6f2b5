import Foundation
import Sallyport
import SallyportStorage

/// The stored responses of the command.
enum ResponseCache {
    /// The folder, by the XDG Base Directory Specification.
    static func folder(environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        UserFolders.sallyport(in: "XDG_CACHE_HOME", else: ".cache", environment)
            .appendingPathComponent("http", isDirectory: true)
    }

    /// The storage in the folder.
    static var storage: DirectoryCacheStorage { DirectoryCacheStorage(at: folder()) }

    /// Returns the cache, and creates its folder; `nil` after a warning if the folder cannot be used.
    static func open() -> HttpCache? {
        do throws(CommandFailure) {
            try PrivateDirectory.makeGuarded(folder())
            return HttpCache(storage: storage)
        } catch {
            StandardError.print("sallyport: \(error.message); the request is sent without the cache")
            return nil
        }
    }
}

extension HttpCacheStorageError: ReportableError {
    var commandFailure: CommandFailure { CommandFailure(.writeError, description) }
}
