import Foundation
import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Sets the body to bytes in memory, leaving method and headers as they are; `nil` takes it away.
    public mutating func setBody(_ body: Data?) {
        self.body = body.map(RequestBody.data) ?? .none
    }

    /// Makes it a POST of text.
    ///
    /// - Parameters:
    ///   - contentType: The media type of the body, such as `text/plain`.
    ///   - body: The text, sent as UTF-8.
    public mutating func post(contentType: String, body: String) {
        set(.post, contentType, Data(body.utf8))
    }

    /// Makes it a POST of bytes.
    ///
    /// - Parameters:
    ///   - contentType: The media type of the body, such as `image/png`.
    ///   - body: The bytes.
    public mutating func post(contentType: String, body: Data) {
        set(.post, contentType, body)
    }

    /// Makes it a PUT of text; see ``post(contentType:body:)-(_,String)``.
    public mutating func put(contentType: String, body: String) {
        set(.put, contentType, Data(body.utf8))
    }

    /// Makes it a PUT of bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func put(contentType: String, body: Data) {
        set(.put, contentType, body)
    }

    /// Makes it a PATCH of text; see ``post(contentType:body:)-(_,String)``.
    public mutating func patch(contentType: String, body: String) {
        set(.patch, contentType, Data(body.utf8))
    }

    /// Makes it a PATCH of bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func patch(contentType: String, body: Data) {
        set(.patch, contentType, body)
    }

    /// Makes it a DELETE with a body of text; see ``post(contentType:body:)-(_,String)``.
    public mutating func delete(contentType: String, body: String) {
        set(.delete, contentType, Data(body.utf8))
    }

    /// Makes it a DELETE with a body of bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func delete(contentType: String, body: Data) {
        set(.delete, contentType, body)
    }

    private mutating func set(_ method: HttpMethod, _ contentType: String, _ body: Data) {
        self.method = method
        setHeader(name: NetworkConstants.headerContentType, value: contentType)
        self.body = .data(body)
    }
}
