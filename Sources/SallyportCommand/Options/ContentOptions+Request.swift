import Foundation
import Sallyport

extension ContentOptions {
    /// Puts everything into a request but its method and URL.
    ///
    /// - Throws: A failure that names an input that cannot be used.
    func apply(to request: inout HttpRequest) throws(CommandFailure) {
        try applyBody(to: &request)
        if let contentType { request.setHeader(name: NetworkConstants.headerContentType, value: contentType) }
        try head.apply(head.headers(), to: &request)
    }

    private func applyBody(to request: inout HttpRequest) throws(CommandFailure) {
        if let json {
            request.post(contentType: NetworkConstants.contentTypeJSON, body: try validated(json: InputSource(json)))
        } else if !form.isEmpty {
            request.form(parameters: form.map { ($0.name, $0.value) })
        } else if !part.isEmpty {
            var form = MultipartForm()
            for part in part { try part.append(to: &form) }
            request.multipart(form)
        } else if let body {
            let source = InputSource(body)
            request.body = try source.body()
            request.setHeader(name: NetworkConstants.headerContentType, value: source.contentType)
        }
    }

    /// JSON is sent as it was written; it is only read to find mistakes of quoting.
    private func validated(json source: InputSource) throws(CommandFailure) -> Data {
        let data = try source.data()
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw CommandFailure(.usage, "what --json gives is not valid JSON; use --body to send it all the same")
        }
        return data
    }
}
