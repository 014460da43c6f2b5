import Foundation
import Sallyport

extension ContentOptions {
    /// Adds the body and the headers to a request. Call it once only, as they may come from standard input.
    ///
    /// - Throws: A failure that names an input that cannot be used; `CancellationError`.
    func apply(to request: inout HttpRequest) async throws {
        try await applyBody(to: &request)
        if let contentType { request.setHeader(name: NetworkConstants.headerContentType, value: contentType) }
        try head.apply(try await head.headers(), to: &request)
    }

    private func applyBody(to request: inout HttpRequest) async throws {
        if let json {
            let body = try await validated(json: InputSource(json))
            request.post(contentType: NetworkConstants.contentTypeJSON, body: body)
        } else if !form.isEmpty {
            request.form(parameters: form.map { ($0.name, $0.value) })
        } else if !part.isEmpty {
            var form = MultipartForm()
            for part in part { try await part.append(to: &form) }
            request.multipart(form)
        } else if let body {
            let source = InputSource(body)
            request.body = try await source.body()
            request.setHeader(name: NetworkConstants.headerContentType, value: source.contentType)
        }
    }

    /// Returns JSON as it was written. It is only parsed to find mistakes of quoting.
    private func validated(json source: InputSource) async throws -> Data {
        let data = try await source.data()
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw CommandFailure(.usage, "what --json gives is not valid JSON; use --body to send it all the same")
        }
        return data
    }
}
