import Foundation
import Sallyport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response.
///
/// ```swift
/// if response.status.isSuccess(), let type = response.headers["Content-Type"]?.first {
///     print(type, response.bodyAsString())
/// }
/// ```
public protocol HttpResponse: Sendable {
    /// The request as it was sent. Changes to it do not change the response.
    var request: any HttpRequest { get }

    /// The status code, such as 200 or 404.
    var status: Int { get }

    /// The body.
    var body: Data? { get }

    /// The headers with all their values.
    var headers: [String: [String]] { get }

    /// Returns the first value of a header; `nil` if it is missing. The name is not case-sensitive.
    func getHeader(name: String) -> String?

    /// Returns the cookies that the response sets.
    func getCookies() -> [HTTPCookie]

    /// Returns the values of the `Set-Cookie` headers, one for each cookie.
    func getCookieStrings() -> [String]

    /// Returns the body as text; empty if there is no body.
    func bodyAsString() -> String
}

/// The categories of a status code.
extension Int {
    /// Returns `true` if the status is a success: 200 to 299.
    public func isSuccess() -> Bool { (200...299).contains(self) }

    /// Returns `true` if the status is a redirection: 300 to 399.
    public func isRedirect() -> Bool { (300...399).contains(self) }

    /// Returns `true` if the request was faulty: 400 to 499.
    public func isClientError() -> Bool { (400...499).contains(self) }

    /// Returns `true` if the server failed: 500 to 599.
    public func isServerError() -> Bool { (500...599).contains(self) }
}

/// A response of Sallyport.
struct SallyportResponse: HttpResponse {
    private let response: Sallyport.HttpResponse

    init(_ response: Sallyport.HttpResponse) {
        self.response = response
    }

    /// A new object for each access, so that the response stays as it is.
    var request: any HttpRequest { SallyportRequest(response.request) }

    var status: Int { response.status.code }
    var body: Data? { response.body }

    var headers: [String: [String]] {
        response.headers.reduce(into: [:]) { $0[Self.listed($1.name)] = $1.values }
    }

    func getHeader(name: String) -> String? { response.getHeader(name: name) }

    func getCookies() -> [HTTPCookie] {
        guard let url: URL = request.url else { return [] }
        return getCookieStrings().flatMap { cookie in
            HTTPCookie.cookies(withResponseHeaderFields: [NetworkConstants.headerSetCookie: cookie], for: url)
        }
    }

    func getCookieStrings() -> [String] { response.getCookieStrings() }
    func bodyAsString() -> String { response.bodyAsString() }

    /// Returns the name under which `URLSession` lists a header: `content-type`, as in HTTP/2, and `Content-type` as `Content-Type`. Names
    /// with other capitals, such as `ETag`, and names that begin with `x-` remain.
    private static func listed(_ name: String) -> String {
        let hasOwnCapitals = name.split(separator: "-").contains { $0.dropFirst().contains(where: \.isUppercase) }
        return hasOwnCapitals || name.lowercased().hasPrefix("x-") ? name : name.capitalized
    }
}
