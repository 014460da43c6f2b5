import HTTPTypes
import Hummingbird

/// The `Set-Cookie` headers for the cookies in a query. The attributes in the query apply to all cookies.
@available(macOS 14, iOS 17, tvOS 17, *)
struct SetCookies: Encodable {
    /// The names in a query that are attributes instead of cookies, with the names of the attributes.
    static let attributes = [
        "path": "Path", "domain": "Domain", "max-age": "Max-Age", "expires": "Expires",
        "same-site": "SameSite", "secure": "Secure", "http-only": "HttpOnly",
    ]

    /// The values of the headers.
    let setCookie: [String]

    /// Creates the headers.
    ///
    /// - Throws: `HTTPError` with status 400 if there is no cookie, a reserved name, or a name or value that is not allowed in the header.
    init(_ items: [NamedValue], reservedNames: Set<String> = []) throws {
        try items.forEach(Self.validate)
        // Browsers ignore white space around a name.
        if let name = items.map({ String($0.name.trimmingBlanks()) }).first(where: reservedNames.contains) {
            throw HTTPError(.badRequest, message: "Only the authorization server sets the cookie \(name).")
        }
        let cookies = items.filter { Self.attributes[$0.name] == nil }
        guard !cookies.isEmpty else {
            throw HTTPError(.badRequest, message: "The query contains no cookie.")
        }
        let suffix = Self.suffix(items)
        setCookie = cookies.map { "\($0.name)=\($0.value)\(suffix)" }
    }

    func response(from request: Request, context: GatewayContext) throws -> Response {
        var response = try context.responseEncoder.encode(self, from: request, context: context)
        for value in setCookie {
            response.headers.append(HTTPField(name: .setCookie, value: value))
        }
        return response
    }

    /// Returns the attributes. The default path is `/`. Attributes with an empty value are left out.
    private static func suffix(_ items: [NamedValue]) -> String {
        let path = items.contains { $0.name == "path" } ? [] : [NamedValue(name: "path", value: "/")]
        return (path + items).reduce(into: "") { text, item in
            switch (item.name, attributes[item.name]) {
            case (_, nil): break
            case ("secure", let name?), ("http-only", let name?): text += "; \(name)"
            case (_, let name?): text += item.value.isEmpty ? "" : "; \(name)=\(item.value)"
            }
        }
    }

    private static func validate(_ item: NamedValue) throws {
        let isPlain = (item.name + item.value).unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F && scalar != ";"
        }
        guard isPlain, !item.name.isEmpty, !item.name.contains("=") else {
            throw HTTPError(.badRequest, message: "A cookie needs a name, and neither controls nor semicolons.")
        }
    }
}
