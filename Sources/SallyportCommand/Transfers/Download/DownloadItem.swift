import Foundation
import Sallyport
import SallyportTransfers

/// A file to download.
struct DownloadItem: Equatable, Sendable {
    let address: RequestURL
    /// The path of the file in the folder of the downloads; `nil` if the server or the URL determines its name.
    var path: String?
    /// The digest that the file must have.
    var digest: ContentDigest?

    /// The URL, without user and password.
    var url: String { address.text }
}

extension DownloadItem {
    /// Reads a list of files to download from a file, or from standard input for `-`.
    ///
    /// - Throws: A failure that names a file that cannot be read, or the number of an invalid line; `CancellationError`.
    static func list(at path: String) async throws -> [DownloadItem] {
        let text = String(decoding: try await InputSource("@" + path).data(), as: UTF8.self)
        let name = path == "-" ? "standard input" : path
        let items = try list(in: text, of: name)
        if items.isEmpty {
            throw CommandFailure(.usage, "\(name) has no URLs; a list of downloads has a URL on each line")
        }
        return items
    }

    /// Parses a list of files to download: on each line a URL, optionally followed by a name and a digest. Empty lines and lines that
    /// begin with `#` are ignored.
    ///
    ///     https://example.com/a.zip
    ///     https://example.com/download?id=7  reports/2026 June.pdf  sha256:2cf24dba…
    ///
    /// - Parameter name: The name of the list, for errors. They do not quote its lines, because URLs can contain secrets.
    /// - Throws: A failure with the number of an invalid line.
    static func list(in text: String, of name: String) throws(CommandFailure) -> [DownloadItem] {
        var items: [DownloadItem] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let url = words.first, !url.hasPrefix("#") else { continue }
            do throws(Problem) {
                guard RequestURL.isURL(String(url)) else {
                    throw Problem("it must begin with a URL, such as https://example.com/a.zip")
                }
                var item = DownloadItem(address: RequestURL(String(url)))
                var end = line.endIndex
                if words.count > 1, let last = words.last, let digest = try digest(last) {
                    item.digest = digest
                    end = last.startIndex
                }
                // The name may contain spaces.
                let path = line[url.endIndex..<end].trimmingCharacters(in: .whitespaces)
                if !path.isEmpty { item.path = try checked(path) }
                items.append(item)
            } catch {
                throw CommandFailure(.usage, "line \(index + 1) of \(name) is invalid: \(error.text)")
            }
        }
        return items
    }

    /// The problem of a line, which does not quote the URL.
    private struct Problem: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    /// Returns the digest of a word such as `sha256:2cf24dba…` or `sha-256=…`; `nil` for any other word, which is a part of a name.
    private static func digest(_ word: Substring) throws(Problem) -> ContentDigest? {
        guard let separator = word.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return nil }
        let algorithm = word[..<separator].lowercased()
        guard algorithm == "md5" || algorithm.hasPrefix("sha"),
            algorithm.dropFirst(3).allSatisfy({ $0.isNumber || $0 == "-" })
        else { return nil }
        do throws(NetworkError) {
            return try ContentDigest("\(algorithm)=\(word[word.index(after: separator)...])")
        } catch {
            throw Problem(error.failure.description)
        }
    }

    /// Checks that a path leads to a file in the folder of the downloads, or below it.
    private static func checked(_ path: String) throws(Problem) -> String {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe = names.allSatisfy { name in
            !name.isEmpty && name != "." && name != ".."
                && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }
        if isSafe { return path }
        throw Problem(
            "the name \"\(VisibleText.line(path))\" must be a path in the folder of the downloads, without . and .."
        )
    }
}
