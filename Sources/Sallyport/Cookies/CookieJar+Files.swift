import Foundation

extension CookieJar {
    /// All cookies as the text of a Netscape `cookies.txt`, as curl reads and writes it.
    ///
    /// Session cookies have the expiry 0 and HTTP-only ones the prefix `#HttpOnly_`. The format has no `SameSite`.
    public var netscapeText: String {
        NetscapeCookies.text(allCookies)
    }

    /// Adds the cookies of a Netscape `cookies.txt` to the jar.
    ///
    /// Cookies that have expired, that cover a public suffix or that break the promise of their name's prefix are
    /// passed over.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - now: The present time.
    /// - Throws: ``CookieFileError/malformedLine(number:problem:)``, and then the jar is unchanged.
    public func load(netscapeText text: String, now: Date = Date()) throws(CookieFileError) {
        for cookie in try NetscapeCookies.cookies(in: text) where !cookie.isExpired(at: now) {
            store(cookie, now: now)
        }
    }

    /// Saves all cookies to a Netscape `cookies.txt` that only its owner may read, replacing the file at once.
    ///
    /// ```swift
    /// try jar.save(to: URL(fileURLWithPath: "cookies.txt"))
    /// ```
    ///
    /// - Parameter file: A file URL.
    /// - Throws: ``CookieFileError/cannotWrite(path:reason:)``.
    public func save(to file: URL) throws(CookieFileError) {
        guard file.isFileURL else { throw .cannotWrite(path: file.path, reason: "The URL does not name a file.") }
        do {
            try PrivateFile.replace(file.path, with: Data(netscapeText.utf8))
        } catch {
            throw .cannotWrite(path: file.path, reason: (error as NSError).localizedDescription)
        }
    }

    /// Adds the cookies of a Netscape `cookies.txt` to the jar, as ``load(netscapeText:now:)`` does.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - now: The present time.
    /// - Throws: ``CookieFileError``, and then the jar is unchanged.
    public func load(from file: URL, now: Date = Date()) throws(CookieFileError) {
        guard file.isFileURL else { throw .cannotRead(path: file.path, reason: "The URL does not name a file.") }
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw .cannotRead(path: file.path, reason: (error as NSError).localizedDescription)
        }
        guard let text = String(data: data, encoding: .utf8) else { throw .notText(path: file.path) }
        try load(netscapeText: text, now: now)
    }
}
