import Foundation
import Sallyport
import SallyportStorage

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

    func setParameter(name: String, value: String) { change { $0.parameters.append((name, value)) } }

    func setHeader(name: String, value: String) { change { $0.setHeader(name: name, value: value) } }
    func getHeader(name: String) -> String? { native.getCombinedHeader(name: name) }
    func getHeaders() -> [String: String] { native.getHeaders() }

    func setCookie(cookie: String) { change { $0.setCookie(cookie: cookie) } }
    func setCookies(cookies: [String]) { change { $0.setCookies(cookies: cookies) } }

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

    func form(parameters: [String: String]) { change { $0.form(parameters: parameters) } }
}
