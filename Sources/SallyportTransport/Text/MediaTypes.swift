/// Returns a Boolean value that indicates whether a media type is JSON or based on JSON (RFC 6839).
package func isJson(_ contentType: String?) -> Bool {
    guard let type = contentType?.lowercased().prefix(while: { $0 != ";" && $0 != " " }) else { return false }
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
}

/// Returns `true` if a media type is the type of a URL-encoded form.
package func isForm(_ contentType: String?) -> Bool {
    contentType?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
}

/// Returns a Boolean value that indicates whether a media type is XML or based on XML (RFC 7303).
package func isXml(_ contentType: String?) -> Bool {
    contentType?.lowercased().prefix { $0 != ";" && $0 != " " }.hasSuffix("xml") == true
}
