import Foundation
import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Sets or removes the body, without changing the method and headers.
    public mutating func setBody(_ body: Data?) {
        self.body = body.map(RequestBody.data) ?? .none
    }

    /// Sets the method to POST and the body to a text.
    ///
    /// - Parameters:
    ///   - contentType: The media type of the body, such as `text/plain`.
    ///   - body: The text, sent as UTF-8.
    public mutating func post(contentType: String, body: String) {
        set(.post, contentType, Data(body.utf8))
    }

    /// Sets the method to POST and the body to bytes.
    ///
    /// - Parameters:
    ///   - contentType: The media type of the body, such as `image/png`.
    ///   - body: The bytes.
    public mutating func post(contentType: String, body: Data) {
        set(.post, contentType, body)
    }

    /// Sets the method to PUT and the body to a text; see ``post(contentType:body:)-(_,String)``.
    public mutating func put(contentType: String, body: String) {
        set(.put, contentType, Data(body.utf8))
    }

    /// Sets the method to PUT and the body to bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func put(contentType: String, body: Data) {
        set(.put, contentType, body)
    }

    /// Sets the method to PATCH and the body to a text; see ``post(contentType:body:)-(_,String)``.
    public mutating func patch(contentType: String, body: String) {
        set(.patch, contentType, Data(body.utf8))
    }

    /// Sets the method to PATCH and the body to bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func patch(contentType: String, body: Data) {
        set(.patch, contentType, body)
    }

    /// Sets the method to DELETE and the body to a text; see ``post(contentType:body:)-(_,String)``.
    public mutating func delete(contentType: String, body: String) {
        set(.delete, contentType, Data(body.utf8))
    }

    /// Sets the method to DELETE and the body to bytes; see ``post(contentType:body:)-(_,Data)``.
    public mutating func delete(contentType: String, body: Data) {
        set(.delete, contentType, body)
    }

    private mutating func set(_ method: HttpMethod, _ contentType: String, _ body: Data) {
        self.method = method
        setHeader(name: NetworkConstants.headerContentType, value: contentType)
        self.body = .data(body)
    }
}

extension HttpRequest {
    /// Sets the method to POST and the body to a JSON object.
    ///
    /// The `Content-Type` becomes `application/json`, unless a JSON type such as `application/problem+json` has been set before.
    ///
    /// - Parameter json: Strings, numbers, Boolean values, `nil`, and arrays and dictionaries of them. Keys are sorted. With any other
    ///   value, sending the request fails with an error that states the path of the value.
    public mutating func post(json: [String: Any]) { set(.post, json) }

    /// Sets the method to POST and the body to a value encoded as JSON.
    ///
    /// - Parameters:
    ///   - json: The value. If it cannot be encoded, sending the request fails with an error that states the path.
    ///   - encoder: The encoder. The default sorts keys.
    public mutating func post(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.post, json, encoder) }

    /// Sets the method to PUT and the body to a JSON object; see ``post(json:)``.
    public mutating func put(json: [String: Any]) { set(.put, json) }

    /// Sets the method to PUT and the body to a value encoded as JSON; see ``post(json:encoder:)``.
    public mutating func put(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.put, json, encoder) }

    /// Sets the method to PATCH and the body to a JSON object; see ``post(json:)``.
    public mutating func patch(json: [String: Any]) { set(.patch, json) }

    /// Sets the method to PATCH and the body to a value encoded as JSON; see ``post(json:encoder:)``.
    public mutating func patch(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.patch, json, encoder) }

    /// Sets the method to DELETE and the body to a JSON object; see ``post(json:)``.
    public mutating func delete(json: [String: Any]) { set(.delete, json) }

    /// Sets the method to DELETE and the body to a value encoded as JSON; see ``post(json:encoder:)``.
    public mutating func delete(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.delete, json, encoder) }

    private mutating func set(_ method: HttpMethod, _ json: [String: Any]) {
        set(method) { () throws(UnencodableJson) in try JsonObject.encode(json) }
    }

    private mutating func set(_ method: HttpMethod, _ json: some Encodable, _ encoder: JSONEncoder) {
        set(method) { () throws(UnencodableJson) in
            do { return try encoder.encode(json) } catch { throw UnencodableJson(error) }
        }
    }

    private mutating func set(_ method: HttpMethod, encode: () throws(UnencodableJson) -> Data) {
        self.method = method
        let contentType = fields[.contentType].flatMap { isJson($0) ? $0 : nil } ?? NetworkConstants.contentTypeJSON
        setHeader(name: NetworkConstants.headerContentType, value: contentType)
        do throws(UnencodableJson) {
            body = .data(try encode())
        } catch {
            let problem = NetworkFailure("the JSON body cannot be encoded at \(error.path): \(error.reason)")
            recordProblem(problem, of: .body)
        }
    }
}

extension JSONEncoder {
    /// Returns an encoder that sorts keys, so that equal values have equal encodings.
    public static var ordered: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension HttpRequest {
    /// Sets the method to POST and adds fields to the form in the body. A body that is not a form is replaced.
    ///
    /// The fields are encoded as `application/x-www-form-urlencoded`, sorted by name.
    ///
    /// - Parameter parameters: The names and values.
    public mutating func form(parameters: [String: String]) {
        form(parameters: parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Sets the method to POST and adds fields, in order, to the form in the body. A body that is not a form is replaced.
    ///
    /// ```swift
    /// request.form(parameters: [("scope", "openid"), ("scope", "profile")])
    /// ```
    ///
    /// - Parameter parameters: The names and values. A name may occur several times.
    public mutating func form(parameters: [(String, String)]) {
        let pairs = parameters.map { (name: $0.0, value: $0.1) }
        let added = PercentEncoding.joined(pairs, encode: PercentEncoding.form)
        let text = [formText ?? "", added].filter { !$0.isEmpty }.joined(separator: "&")
        method = .post
        setHeader(name: NetworkConstants.headerContentType, value: NetworkConstants.contentTypeForm)
        body = .data(Data(text.utf8))
    }

    /// The fields of the form in the body, decoded and in order; `nil` if the body is not a form in memory.
    ///
    /// ```swift
    /// let scope = request.formFields?.first { $0.name == "scope" }?.value
    /// ```
    public var formFields: [(name: String, value: String)]? {
        formText.map { QueryText.pairs(of: $0) }
    }

    /// Sets a field of the form in the body, replacing all fields with that name. It follows the other fields.
    ///
    /// An interceptor uses it to change a request of the SDK:
    ///
    /// ```swift
    /// if action.type == "EXCHANGE_TOKEN" { request.setFormField(name: "device", value: "phone") }
    /// ```
    ///
    /// If the body is not a form in memory, sending the request fails. Create a form, or add fields without replacing others, with
    /// ``form(parameters:)-([String:String])``.
    public mutating func setFormField(name: String, value: String) {
        guard let formText else {
            return recordProblem(
                NetworkFailure(
                    "the form field \"\(VisibleText.line(name))\" cannot be set, because the body is not a form",
                    advice: "create a form with form(parameters:)"
                )
            )
        }
        let others = QueryText.removing(name, from: formText)
        let added = PercentEncoding.joined([(name: name, value: value)], encode: PercentEncoding.form)
        body = .data(Data((others.isEmpty ? added : others + "&" + added).utf8))
    }

    /// Removes all fields with a name from the form in the body, if the body is a form in memory.
    public mutating func removeFormField(name: String) {
        guard let formText else { return }
        body = .data(Data(QueryText.removing(name, from: formText).utf8))
    }

    /// The text of the form in the body; `nil` if the body is not a form in memory.
    private var formText: String? {
        guard case .data(let data) = body, isForm(fields[.contentType]) else { return nil }
        return String(data: data, encoding: .utf8)
    }
}
