import Foundation

/// Why a file of cookies could not be read or written. Never holds a cookie's value.
public enum CookieFileError: Error, Sendable, Hashable {
    /// A line is not a cookie. Lines count from 1; no cookie of the file was loaded.
    case malformedLine(number: Int, problem: String)

    /// The file is not UTF-8 text; no cookie of it was loaded.
    case notText(path: String)

    /// The file cannot be read.
    case cannotRead(path: String, reason: String)

    /// The file cannot be written; an older file of that name is as it was.
    case cannotWrite(path: String, reason: String)
}

extension CookieFileError: CustomStringConvertible, LocalizedError {
    /// A sentence that says what failed and where.
    public var description: String {
        switch self {
        case .malformedLine(let number, let problem): "Line \(number) of the cookie file is malformed: \(problem)."
        case .notText(let path): "The cookie file \(path) is not UTF-8 text."
        case .cannotRead(let path, let reason): "The cookie file \(path) cannot be read. \(reason)"
        case .cannotWrite(let path, let reason): "The cookie file \(path) cannot be written. \(reason)"
        }
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }
}
