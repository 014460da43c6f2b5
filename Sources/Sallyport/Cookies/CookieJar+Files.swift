import Foundation
import SallyportStorage

extension CookieJar {
    /// All cookies in the format of a Netscape `cookies.txt`, which curl reads and writes.
    ///
    /// Session cookies have the expiry 0, HTTP-only cookies the prefix `#HttpOnly_`. The format has no `SameSite` attribute.
    public var netscapeText: String {
        NetscapeCookies.text(allCookies)
    }

    /// Adds the cookies of a Netscape `cookies.txt` to the jar.
    ///
    /// A cookie is ignored if it has expired, if its domain is a public suffix, or if it violates the rules of its name's prefix.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - now: The current time.
    /// - Throws: ``CookieFileError/malformedLine(number:problem:)``. The jar is then unchanged.
    public func load(netscapeText text: String, now: Date = Date()) throws(CookieFileError) {
        for cookie in try NetscapeCookies.cookies(in: text) where !cookie.isExpired(at: now) {
            store(cookie, now: now)
        }
    }

    /// Saves all cookies to a Netscape `cookies.txt` that only its owner can read. An existing file is replaced atomically.
    ///
    /// ```swift
    /// try jar.save(to: URL(fileURLWithPath: "cookies.txt"))
    /// ```
    ///
    /// - Parameter file: A file URL.
    /// - Throws: ``CookieFileError/cannotWrite(path:reason:)``.
    public func save(to file: URL) throws(CookieFileError) {
        guard file.isFileURL else { throw .cannotWrite(path: file.path, reason: "The URL does not name a file.") }
        do throws(FileSystemError) {
            try PrivateFile.replace(file, with: Data(netscapeText.utf8))
        } catch {
            throw .cannotWrite(path: file.path, reason: error.explanation)
        }
    }

    /// Adds the cookies of a Netscape `cookies.txt` to the jar, as ``load(netscapeText:now:)`` does.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - now: The current time.
    /// - Throws: ``CookieFileError``. The jar is then unchanged.
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

/// An error in reading or writing a cookie file. It never contains the value of a cookie.
public enum CookieFileError: Error, Sendable, Hashable {
    /// A line, counted from 1, is not a cookie. No cookie of the file was loaded.
    case malformedLine(number: Int, problem: String)

    /// The file is not UTF-8 text. No cookie of the file was loaded.
    case notText(path: String)

    /// The file cannot be read.
    case cannotRead(path: String, reason: String)

    /// The file cannot be written. An existing file of that name is unchanged.
    case cannotWrite(path: String, reason: String)
}

extension CookieFileError: CustomStringConvertible, LocalizedError {
    /// A sentence that describes the error and its location.
    public var description: String {
        switch self {
        case .malformedLine(let number, let problem): "Line \(number) of the cookie file is malformed: \(problem)."
        case .notText(let path): "The cookie file \(path) is not UTF-8 text."
        case .cannotRead(let path, let reason): "The cookie file \(path) cannot be read. \(reason)"
        case .cannotWrite(let path, let reason): "The cookie file \(path) cannot be written. \(reason)"
        }
    }

    /// The ``description``.
    public var errorDescription: String? { description }
}
