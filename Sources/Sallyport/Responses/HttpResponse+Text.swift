import Foundation

extension HttpResponse {
    /// The body as text, empty if there is none in memory.
    ///
    /// It is read by its byte order mark, or else by the charset of `Content-Type`: UTF-8, UTF-16, ISO-8859-1 or
    /// windows-1252, and UTF-8 for any other. What is not valid becomes the replacement character (U+FFFD).
    public func bodyAsString() -> String {
        BodyText.decode(body ?? Data(), contentType: getHeader(name: NetworkConstants.headerContentType))
    }
}
