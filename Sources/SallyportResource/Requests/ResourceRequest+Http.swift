import Foundation
import HTTPTypes
import Sallyport

extension ResourceRequest {
    /// Returns the request as it is sent, without credentials.
    ///
    /// - Parameter address: The base URL.
    /// - Throws: ``ResourceError`` for an invalid value.
    func httpRequest(at address: ResourceAddress) throws(ResourceError) -> HttpRequest {
        guard HTTPMethod.allCases.contains(method) else {
            let names = HTTPMethod.allCases.map(\.rawValue).joined(separator: ", ")
            let reason = "the method \"\(VisibleText.line(method.rawValue))\" is not supported"
            throw ResourceError(.invalidMethod, NetworkFailure(reason, advice: "use one of \(names), in upper case"))
        }
        var request = HttpRequest(url: try address.url(of: path))
        request.setMethod(method.rawValue)
        try addHeaders(to: &request)
        if let multipartData {
            try setForm(of: multipartData, of: &request)
        } else if let body {
            try setBody(body, of: &request)
        } else if let parameters {
            try setParameters(parameters, of: &request)
        }
        // The URL is checked here, so that an error is reported before the device is checked and tokens are obtained.
        do throws(NetworkError) {
            if let problem = request.problems.first { throw .invalidRequest(problem) }
            _ = try request.origin()
        } catch {
            throw ResourceError(.invalidRequest, error.failure)
        }
        return request
    }

    private func addHeaders(to request: inout HttpRequest) throws(ResourceError) {
        for (name, value) in (headers ?? [:]).sorted(by: { $0.key < $1.key }) {
            let field = HTTPField.Name(String(name.trimmingBlanks()))
            if field == .authorization || field == .userAgent || (field == .contentType && multipartData != nil) {
                throw invalidHeader("the SDK sets the header \(name)", "remove it from the headers of the request")
            }
            guard field.map({ request.fields[$0] == nil }) ?? true else {
                let shown = VisibleText.line(name, longest: 100)
                throw invalidHeader("the header \(shown) is set twice, in different spellings", "set it once")
            }
            request.addHeader(name: name, value: value)
            if let problem = request.problems.first { throw ResourceError(.invalidHeaders, problem) }
        }
    }

    private func setForm(of parts: [MultipartData], of request: inout HttpRequest) throws(ResourceError) {
        guard method == .post else {
            let reason = "a multipart request cannot have the method \(method)"
            throw ResourceError(.invalidMethod, NetworkFailure(reason, advice: "use POST"))
        }
        guard body == nil else { throw invalid("the request has both a body and parts", "set only one of them") }
        let fields = try pairs(of: parameters ?? [:])
        guard !fields.isEmpty || !parts.isEmpty else {
            throw invalid("the multipart request has neither parts nor parameters", "add at least one")
        }
        var form = MultipartForm()
        for (name, value) in fields { form.append(name: name, value: value) }
        for part in parts {
            if let file = part.file {
                form.append(name: part.name, file: file, filename: part.fileName, contentType: part.mimeType)
            } else {
                let data = part.data ?? Data()
                form.append(name: part.name, data: data, filename: part.fileName, contentType: part.mimeType)
            }
        }
        request.multipart(form)
    }

    private func setBody(_ body: Data, of request: inout HttpRequest) throws(ResourceError) {
        guard ![.get, .head].contains(method) else {
            throw invalid("a \(method) request cannot have a body", "use POST, or send parameters")
        }
        request.body = .data(body)
    }

    private func setParameters(
        _ parameters: [String: JsonValue],
        of request: inout HttpRequest
    ) throws(ResourceError) {
        if method.hasParametersInQuery {
            for (name, value) in try pairs(of: parameters) { request.addParameter(name: name, value: value) }
            return
        }
        let contentType: String
        switch parametersEncoding {
        case .JSON:
            contentType = NetworkConstants.contentTypeJSON
            request.body = .data(try encoded { try JSONEncoder.ordered.encode(parameters) })
        case .formURL:
            contentType = NetworkConstants.contentTypeForm
            request.body = .data(Data(try encoded { try Self.encoder.encode(parameters) }.utf8))
        }
        if request.getHeader(name: NetworkConstants.headerContentType) == nil {
            request.setHeader(name: NetworkConstants.headerContentType, value: contentType)
        }
    }

    private static var encoder: FormEncoder {
        var options = ParameterOptions()
        options.nils = .empty
        return FormEncoder(options)
    }

    private func pairs(of parameters: [String: JsonValue]) throws(ResourceError) -> [(name: String, value: String)] {
        try encoded { try Self.encoder.parameters(of: parameters) }
    }

    private func encoded<Value>(_ encode: () throws -> Value) throws(ResourceError) -> Value {
        do {
            return try encode()
        } catch {
            var reason = "the parameters cannot be encoded"
            if case EncodingError.invalidValue(_, let context) = error {
                let path = context.codingPath.map(\.stringValue).joined(separator: ".")
                reason += path.isEmpty ? ": " : " at \(VisibleText.line(path)): "
                reason += context.debugDescription
            }
            let advice = "use values that the encoding can represent; JSON can represent all finite values"
            throw invalid(reason, advice)
        }
    }

    private func invalid(_ reason: String, _ advice: String) -> ResourceError {
        ResourceError(.invalidRequest, NetworkFailure(reason, advice: advice))
    }

    private func invalidHeader(_ reason: String, _ advice: String) -> ResourceError {
        ResourceError(.invalidHeaders, NetworkFailure(reason, advice: advice))
    }
}
