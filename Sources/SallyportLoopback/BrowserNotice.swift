import Foundation
import SallyportTransport

/// A message for the person who signs in with a `SystemBrowser`.
public enum BrowserNotice: Sendable, Hashable {
    /// A browser was asked to open the URL.
    case opened(url: String)
    /// No browser could open the URL, for the given reason; the person has to open it by hand.
    case notOpened(url: String, reason: String)
}

extension BrowserNotice: CustomStringConvertible {
    /// The text of the notice with the URL, in which control characters are escaped.
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
    /// Writes the notice to standard error.
    public func print() {
        FileHandle.standardError.write(Data("\(self)\n".utf8))
    }
}
