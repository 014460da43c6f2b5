import Foundation
import SallyportTransport

/// What a person should know while they sign in.
public enum BrowserNotice: Sendable, Hashable {
    /// A browser was asked to show the URL.
    case opened(url: String)
    /// No browser shows the URL, and why; the person has to open it by hand.
    case notOpened(url: String, reason: String)
}

extension BrowserNotice: CustomStringConvertible {
    /// The notice in words, with the URL; control characters in it are escaped.
    public var description: String {
        switch self {
        case .opened(let url):
            "Your browser shows the sign-in page. If it does not, open this URL:\n\(VisibleText.line(url))"
        case .notOpened(let url, let reason):
            "No browser could be opened: \(reason). Open this URL on this computer to sign in:\n\(VisibleText.line(url))"
        }
    }
}

extension BrowserNotice {
    /// Writes the notice to the standard error.
    public func print() {
        FileHandle.standardError.write(Data("\(self)\n".utf8))
    }
}
