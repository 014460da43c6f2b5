import Foundation
import HTTPTypes

extension HttpRequest {
    /// Makes it a POST of a form, or adds to the form that it is already.
    ///
    /// The fields are written as `application/x-www-form-urlencoded`, in the order of their names.
    ///
    /// - Parameter parameters: The names and values, any text.
    public mutating func form(parameters: [String: String]) {
        form(parameters: parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Makes it a POST of a form, or adds to the form that it is already, keeping the order of the fields.
    ///
    /// ```swift
    /// request.form(parameters: [("scope", "openid"), ("scope", "profile")])
    /// ```
    ///
    /// - Parameter parameters: The names and values, any text; a name may come several times.
    public mutating func form(parameters: [(String, String)]) {
        let pairs = parameters.map { (name: $0.0, value: $0.1) }
        let added = PercentEncoding.joined(pairs, encode: PercentEncoding.form)
        let text = [formText ?? "", added].filter { !$0.isEmpty }.joined(separator: "&")
        method = .post
        fields[.contentType] = NetworkConstants.contentTypeForm
        body = .data(Data(text.utf8))
        formText = text
    }
}
