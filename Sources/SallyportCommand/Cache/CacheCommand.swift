import ArgumentParser
import Foundation
import Sallyport

/// Shows and removes stored responses.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows and removes the responses that --cache has stored.",
        discussion: """
            With --cache, a request command stores responses as their servers allow, and uses them instead of sending the \
            same request again. Stale responses are validated. Each user's responses are separate: they are used for \
            requests with the same credentials only.

            Examples:
              sallyport get https://api.example.com/catalog --cache -v
              sallyport get https://api.example.com/catalog \\
                --cache -H 'Cache-Control: no-cache'
              sallyport cache list
              sallyport cache clear https://api.example.com/catalog

            The responses are stored in the folder sallyport/http of XDG_CACHE_HOME (~/.cache), in files that only you \
            can read. When they take more than 256 MiB, those that have not been used for the longest time are removed.
            """,
        subcommands: [CacheListCommand.self, CacheClearCommand.self]
    )
}

/// Removes stored responses.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes the stored responses of a URL, or all."
    )

    @Argument(help: ArgumentHelp("The URL whose responses are removed. (default: all)", valueName: "url"))
    var address: RequestURL?

    func run() async throws {
        let storage = ResponseCache.storage
        // Counted before, because other processes store responses at the same time.
        let removed: Int
        if let address {
            try RequestURL.check(address.text)
            let resource = try HttpCacheKey.resource(of: address.text)
            removed = try await storage.allEntries().filter { $0.key.resource == resource }.count
            try await storage.removeAll(of: resource)
        } else {
            removed = try await storage.allEntries().count
            try await storage.removeAll()
        }
        StandardError.print(removed == 1 ? "1 response was removed." : "\(removed) responses were removed.")
    }
}
