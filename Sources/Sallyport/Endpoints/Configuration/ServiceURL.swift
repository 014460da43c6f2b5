import SallyportTransport

/// The base URL of a service, checked, to which paths are added.
struct ServiceURL: Sendable, Hashable {
    /// With a slash at the end, if it was given with one.
    let text: String
    /// Without a slash at the end.
    private let root: String

    /// - Throws: ``InvalidPath`` saying what is wrong with it.
    init(_ url: String) throws(InvalidPath) {
        let target: RequestTarget
        do throws(NetworkError) {
            target = try RequestTarget(url: url)
        } catch {
            throw InvalidPath(error.failure.description)
        }
        if url.contains("?") || url.contains("#") {
            throw InvalidPath("\"\(Redaction.shortUrl(url))\" has a query or a fragment, to which no path can be added")
        }
        if url.contains(where: \.isWhitespace) || url.contains("\\") {
            throw InvalidPath("\"\(Redaction.shortUrl(url))\" holds a space or a backslash")
        }
        for segment in target.path.split(separator: "/") {
            let decoded = segment.removingPercentEncoding ?? String(segment)
            if decoded == "." || decoded == ".." {
                throw InvalidPath("\"\(Redaction.shortUrl(url))\" leads to another folder by \"\(segment)\"")
            }
        }
        text = target.url
        root = target.origin + String(target.path.reversed().drop { $0 == "/" }.reversed())
    }

    /// The URL of a path, which is empty or starts with a slash.
    func appending(_ path: String) -> String { path.isEmpty ? text : root + path }
}
