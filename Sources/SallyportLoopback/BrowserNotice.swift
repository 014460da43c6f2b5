import Foundation
import SallyportTransport

/// A message of a `SystemBrowser` to the user.
public enum BrowserNotice: Sendable, Hashable {
    /// A browser was started with the URL.
    case opened(url: String)
    /// No browser could open the URL, for the given reason. The user must open it.
    case notOpened(url: String, reason: String)
    /// A callback that does not belong to the login was ignored. The text is its error, such as `access_denied`.
    case ignored(String)
}

extension BrowserNotice: CustomStringConvertible {
    /// The text of the notice. Control characters in the URL are escaped.
    public var description: String {
        switch self {
        case .opened(let url):
            "Your browser shows the sign-in page. If it does not, open this URL:\n\(VisibleText.line(url))"
        case .notOpened(let url, let reason):
            "No browser could be opened: \(reason). Open this URL on this computer to sign in:\n\(VisibleText.line(url))"
        case .ignored(let error):
            "A response that does not belong to this login was ignored: \(VisibleText.line(error))"
        }
    }
}

extension BrowserNotice {
    /// Writes the notice to standard error.
    public func print() {
        FileHandle.standardError.write(Data("\(self)\n".utf8))
    }
}
