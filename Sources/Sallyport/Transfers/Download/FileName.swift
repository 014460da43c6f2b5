import Foundation
import HTTPTypes
import SallyportTransport

/// The name under which to keep what was downloaded: the server's, else the last part of the URL's path, made safe.
///
/// - Parameters:
///   - response: The response, whose `Content-Disposition` comes first.
///   - url: The URL from which it came.
///   - limit: How many bytes of UTF-8 the name may have, for callers that add to it.
package func suggestedFileName(
    from response: HttpResponse,
    url: String,
    limit: Int = SafeFileName.longest
) -> String {
    SafeFileName.make(
        response.headers.fields.contentDisposition?.filename,
        lastPathPart(of: url),
        limit: limit
    )
}

/// The last part of a URL's path, without its percent signs; `nil` if the URL has none.
private func lastPathPart(of url: String) -> String? {
    let hierarchy = url.prefix { $0 != "?" && $0 != "#" }
    guard let authority = hierarchy.range(of: "//")?.upperBound, let path = hierarchy[authority...].firstIndex(of: "/")
    else { return nil }
    let last = hierarchy[path...].split(separator: "/").last.map(String.init)
    return last.map { $0.removingPercentEncoding ?? $0 }
}
