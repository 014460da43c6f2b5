import Foundation
import Sallyport
import SallyportStorage

/// A request, which is an object: whoever holds it sees its changes.
///
/// Tasks can use it concurrently. Invalid values, such as a line break in a header, make the call fail with
/// ``NetworkError/invalidRequest(_:)`` before anything is sent.
///
/// ```swift
/// let request = client.request()
/// request.url = "https://api.example.com/users"
/// request.setHeader(name: "Accept", value: "application/json")
/// let result = await client.request(request: request)
/// ```
public protocol HttpRequest: AnyObject, Sendable {
    /// The absolute `http` or `https` URL.
    var url: String? { get set }

    /// Adds a parameter to the URL's query. A name may occur several times.
    func setParameter(name: String, value: String)

    /// Sets a header, replacing one with that name. Names are not case-sensitive.
    func setHeader(name: String, value: String)

    /// Returns the value of a header; `nil` if it is not set. The name is not case-sensitive.
    func getHeader(name: String) -> String?

    /// Returns all headers that are set. A new request has the standard headers, `x-requested-with` and `x-requested-platform`.
    func getHeaders() -> [String: String]

    /// Adds a cookie of the form `name=value` to this request. Several cookies of one name are all sent.
    func setCookie(cookie: String)

    /// Adds cookies of the form `name=value` to this request.
    func setCookies(cookies: [String])

    /// Sets the method without changing the body.
    func setMethod(_ method: HttpMethod)

    /// Returns the method. The default is GET.
    func getMethod() -> HttpMethod

    /// Sets or removes the body, without changing the method and headers.
    func setBody(_ body: Data?)

    /// Sets the method to GET and removes the body.
    func get()

    /// Sets the method to POST and the body to a JSON object.
    func post(json: [String: Any])

    /// Sets the method to PUT and the body to a JSON object.
    func put(json: [String: Any])

    /// Sets the method to DELETE and the body to a JSON object.
    func delete(json: [String: Any])

    /// Sets the method to POST and the body to a text of a media type.
    func post(contentType: String, body: String)

    /// Sets the method to PUT and the body to a text of a media type.
    func put(contentType: String, body: String)

    /// Sets the method to DELETE and the body to a text of a media type.
    func delete(contentType: String, body: String)

    /// Sets the method to POST and adds fields to the form in the body. A space is encoded as `%20`.
    func form(parameters: [String: String])
}

extension HttpRequest {
    /// Sets the method to DELETE and removes the body.
    public func delete() {
        get()
        setMethod(.delete)
    }

    /// The URL as a `URL`, for code such as `response.request.url?.absoluteString`. Where both types are possible, Swift selects the text.
    public var url: URL? {
        let text: String? = url
        return text.flatMap { URL(string: $0) }
    }
}

/// The method of a request.
public enum HttpMethod: String, Sendable, CaseIterable {
    /// Retrieves data.
    case get = "GET"
    /// Creates a resource.
    case post = "POST"
    /// Replaces a resource.
    case put = "PUT"
    /// Removes a resource.
    case delete = "DELETE"
    /// Changes a part of a resource.
    case patch = "PATCH"
    /// Retrieves the headers without the body.
    case head = "HEAD"
    /// Retrieves the methods that a resource supports.
    case options = "OPTIONS"
}

/// A request of Sallyport, shared by reference.
final class SallyportRequest: HttpRequest {
    private let request: Locked<Sallyport.HttpRequest>

    init(_ request: Sallyport.HttpRequest) {
        self.request = Locked(request)
    }

    /// The current value of the request.
    var native: Sallyport.HttpRequest { request.withLock { $0 } }

    private func change(_ body: (inout Sallyport.HttpRequest) -> Void) { request.withLock(body) }

    var url: String? {
        get { native.url }
        set { change { $0.url = newValue } }
    }

    func setParameter(name: String, value: String) { change { $0.addParameter(name: name, value: value) } }

    func setHeader(name: String, value: String) { change { $0.setHeader(name: name, value: value) } }
    func getHeader(name: String) -> String? { native.getCombinedHeader(name: name) }
    func getHeaders() -> [String: String] { native.getHeaders() }

    func setCookie(cookie: String) { change { $0.addCookie(cookie: cookie) } }
    func setCookies(cookies: [String]) { for cookie in cookies { setCookie(cookie: cookie) } }

    func setMethod(_ method: HttpMethod) { change { $0.setMethod(method.rawValue) } }
    func getMethod() -> HttpMethod { HttpMethod(rawValue: native.getMethod().rawValue) ?? .get }

    func setBody(_ body: Data?) { change { $0.setBody(body) } }

    func get() { change { $0.get() } }
    func post(json: [String: Any]) { change { $0.post(json: json) } }
    func put(json: [String: Any]) { change { $0.put(json: json) } }
    func delete(json: [String: Any]) { change { $0.delete(json: json) } }

    func post(contentType: String, body: String) { change { $0.post(contentType: contentType, body: body) } }
    func put(contentType: String, body: String) { change { $0.put(contentType: contentType, body: body) } }
    func delete(contentType: String, body: String) { change { $0.delete(contentType: contentType, body: body) } }

    func form(parameters: [String: String]) {
        change { request in
            request.form(parameters: parameters)
            guard case .data(let form) = request.body else { return }
            // In a form, each plus sign is a space; one in a value is escaped.
            request.setBody(Data(String(decoding: form, as: UTF8.self).replacing("+", with: "%20").utf8))
        }
    }
}
