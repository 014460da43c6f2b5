import Foundation
import SallyportTransport

/// Recorded requests and responses in the format HAR 1.2 (HTTP Archive), which browsers, proxies and test tools read and write.
///
/// Reading is lenient. Unknown members, and custom members with names that begin with `_`, are ignored. A member may be missing or have
/// another type if the entry is still usable without it. Each entry requires a method, a URL and a status.
///
/// ```swift
/// let archive = try HttpArchive(data)
/// for entry in archive.entries { print(entry.request.method, entry.request.url, entry.response.status) }
/// ```
///
/// The format is described at <http://www.softwareishard.com/blog/har-12-spec/>.
public struct HttpArchive: Sendable, Hashable {
    /// A program that created an archive, or the browser whose traffic it contains.
    public struct Creator: Sendable, Hashable {
        /// The name of the program.
        public var name: String
        /// The version of the program.
        public var version: String
        /// A comment.
        public var comment: String?

        /// Creates a description of a program.
        public init(name: String, version: String, comment: String? = nil) {
            self.name = name
            self.version = version
            self.comment = comment
        }
    }

    /// A group of entries: a page of a browser, or in the archives of this SDK a call with all its attempts and redirects.
    public struct Page: Sendable, Hashable {
        /// The identifier to which ``Entry/pageref`` refers.
        public var id: String
        /// The title.
        public var title: String
        /// The time at which the first request began; 1970 if it is unknown.
        public var startedDateTime: Date
        /// The time until the page was complete, in milliseconds; `nil` if it is unknown.
        public var onLoad: Double?
        /// A comment.
        public var comment: String?

        /// Creates a group.
        public init(id: String, title: String, startedDateTime: Date, onLoad: Double? = nil, comment: String? = nil) {
            self.id = id
            self.title = title
            self.startedDateTime = startedDateTime
            self.onLoad = onLoad
            self.comment = comment
        }
    }

    /// The program that created the archive.
    public var creator: Creator
    /// The browser whose traffic the archive contains, if it is the traffic of a browser.
    public var browser: Creator?
    /// The groups of entries.
    public var pages: [Page]
    /// The requests and their responses, usually in the order they began.
    public var entries: [Entry]
    /// A comment.
    public var comment: String?

    /// Creates an archive. By default it names this SDK as its creator.
    public init(
        creator: Creator? = nil,
        browser: Creator? = nil,
        pages: [Page] = [],
        entries: [Entry] = [],
        comment: String? = nil
    ) {
        self.creator = creator ?? Creator(name: "Sallyport", version: NetworkConstants.sdkVersion)
        self.browser = browser
        self.pages = pages
        self.entries = entries
        self.comment = comment
    }
}

// MARK: Reading and writing

extension HttpArchive {
    /// Reads an archive.
    ///
    /// - Parameters:
    ///   - data: The content of a HAR file, in UTF-8 with or without a byte order mark.
    ///   - maximumSize: The maximum size of `data` in bytes.
    /// - Throws: ``HttpArchiveError`` if it is longer, or not an archive.
    public init(_ data: Data, maximumSize: Int = 256 << 20) throws(HttpArchiveError) {
        guard data.count <= maximumSize else {
            throw HttpArchiveError(
                "the HAR file has \(data.count) bytes, more than the \(maximumSize) that are accepted"
            )
        }
        do {
            self = try JSONDecoder().decode(File.self, from: data.withoutByteOrderMark).log
        } catch {
            let problem = (error as? DecodingError)?.problem ?? "undecodable"
            throw HttpArchiveError("this is not a HAR file: \(problem); export the traffic again as HAR 1.2")
        }
    }

    /// Returns the content of a HAR file: indented JSON in UTF-8, with members in alphabetical order.
    ///
    /// - Throws: ``HttpArchiveError`` if a number or date in the archive is not finite.
    public func data() throws(HttpArchiveError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(File(log: self))
        } catch {
            throw HttpArchiveError("the archive cannot be written: a number or date in it is not finite")
        }
    }

    private struct File: Codable {
        let log: HttpArchive
    }
}

/// The reason why data is not an archive, or an archive cannot be written.
public struct HttpArchiveError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The problem and what to do, in one line.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

// MARK: JSON

extension HttpArchive: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, creator, browser, pages, entries, comment
    }

    /// Decodes the member `log` of a HAR file.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        creator = container.lenient(.creator) ?? Creator(name: "", version: "")
        browser = container.lenient(.browser)
        pages = container.lenient(.pages) ?? []
        entries = try container.decode([Entry].self, forKey: .entries)
        comment = container.lenient(.comment)
    }

    /// Encodes the member `log` of a HAR file.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("1.2", forKey: .version)
        try container.encode(creator, forKey: .creator)
        try container.encodeIfPresent(browser, forKey: .browser)
        if !pages.isEmpty { try container.encode(pages, forKey: .pages) }
        try container.encode(entries, forKey: .entries)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HttpArchive.Creator: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, version, comment
    }

    /// Decodes a program.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.lenient(.name) ?? ""
        version = container.lenient(.version) ?? ""
        comment = container.lenient(.comment)
    }
}

extension HttpArchive.Page: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, title, startedDateTime, pageTimings, comment
    }

    private struct PageTimings: Codable {
        var onLoad: Double?
    }

    /// Decodes a page.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = container.lenient(.id) ?? ""
        title = container.lenient(.title) ?? ""
        startedDateTime = container.date(.startedDateTime)
        let timings: PageTimings? = container.lenient(.pageTimings)
        onLoad = timings?.onLoad.flatMap { $0 < 0 ? nil : $0 }
        comment = container.lenient(.comment)
    }

    /// Encodes the page.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(try ArchiveDate.text(startedDateTime), forKey: .startedDateTime)
        try container.encode(PageTimings(onLoad: onLoad), forKey: .pageTimings)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}
