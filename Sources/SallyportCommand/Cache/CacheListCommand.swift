import ArgumentParser
import Foundation
import Sallyport

/// Lists the stored responses.
struct CacheListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the stored responses with their age, freshness and size. Secrets in URLs are masked."
    )

    @Flag(help: "Print a JSON array with an object for each response.")
    var json = false

    func run() async throws {
        let now = Date()
        let responses = try await ResponseCache.storage.allEntries().map { StoredResponse($0, at: now) }
            .sorted { ($0.url, $0.age) < ($1.url, $1.age) }
        if json { return print(try JsonText.indented(responses)) }
        if responses.isEmpty { StandardError.print("No responses are stored.") }
        for line in TextColumns.lines(responses.map(\.columns)) { print(line) }
    }
}

/// A stored response as `cache list` shows it.
private struct StoredResponse: Encodable {
    let url: String
    let status: Int
    /// The time in seconds since the server created or confirmed the response.
    let age: Int
    /// The time until the response becomes stale, in seconds; negative if it is stale already.
    let timeToLive: Int
    let bodyBytes: Int64
    let received: Date
    let varyingFields: [String]

    init(_ entry: HttpCacheEntry, at now: Date) {
        (age, timeToLive) = entry.head.freshness(at: now)
        url = Redaction.text(entry.head.url)
        status = entry.head.status
        bodyBytes = entry.bodyLength
        received = entry.head.responseTime
        varyingFields = entry.head.varyingFields
    }

    var columns: [String] {
        let freshness =
            timeToLive > 0 ? "fresh for \(Format.interval(timeToLive))" : "stale for \(Format.interval(-timeToLive))"
        let size = Format.size(bodyBytes)
        return [url, "\(status)", "age \(Format.interval(age))", freshness, size].map { VisibleText.line($0) }
    }
}
