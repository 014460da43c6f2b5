#if canImport(Darwin)
import Foundation
import Sallyport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResourceResponse {
    /// The response as Foundation's type; `nil` if the request has no URL, as in tests.
    public var response: HTTPURLResponse? {
        guard let url = httpResponse.request.url.flatMap(URL.init(string:)) else { return nil }
        let version = httpResponse.connection.httpVersion?.rawValue
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: version, headerFields: allHeaderFields)
    }
}
#endif
