import Sallyport
import Testing

/// A request that a gateway has received at `/echo`, from its response.
package struct EchoedRequest: Decodable, Sendable {
    /// The method.
    package let method: String
    /// The path and the query, as sent.
    package let target: String
    /// The values of each header, whose name is in lower case.
    package let headers: [String: [String]]
    /// The body as text, or in base64 if it is not UTF-8.
    package let body: String
    /// The number of bytes of the body.
    package let bodyLength: Int
}

extension HttpClient {
    /// Opens a page of a gateway and submits its forms, as a browser does.
    ///
    /// - Parameters:
    ///   - url: The URL of the page.
    ///   - forms: The user's input for each page, by name. Hidden fields are added to it.
    /// - Returns: The response to the last form.
    package func submitForms(at url: String, _ forms: [[String: String]]) async throws -> HttpResponse {
        var response = try await request { $0.url = url }
        let origin = try #require(url.firstMatch(of: /^https?:\/\/[^\/]+/)).0
        for fields in forms {
            let page = response.bodyAsString()
            let action = try #require(page.firstMatch(of: /<form method="post" action="([^"]*)">/)).1
            let hidden = page.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
                .map { (String($0.1), String($0.2)) }
            response = try await request { request in
                request.url = "\(origin)\(action)"
                request.form(parameters: hidden + fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            }
        }
        return response
    }
}
