import Foundation
import Sallyport

extension Request {
    /// Creates the request that the first interceptor receives.
    init(_ request: HttpRequest) {
        let requestType = request.contentType(in: NetworkConstants.headerContentType)
        let responseType = request.contentType(in: NetworkConstants.headerAccept)
        var headers = request.getHeaders()
        for (name, type) in [
            (NetworkConstants.headerContentType, requestType), (NetworkConstants.headerAccept, responseType),
        ] where request.getHeader(name: name) == type.rawValue {
            headers = headers.filter { $0.key.lowercased() != name.lowercased() }
        }
        let bodyParams: [String: Any] =
            switch requestType {
            case .json: (try? JSONSerialization.jsonObject(with: request.bodyData)) as? [String: Any] ?? [:]
            case .urlEncoded: firstValues(of: request.formFields ?? [])
            case .plainText: [:]
            }
        self.init(
            url: request.urlWithoutQuery,
            method: HTTPMethod(rawValue: request.getMethod().rawValue) ?? .POST,
            headers: headers,
            bodyParams: bodyParams,
            urlParams: firstValues(of: request.queryOfURL + request.parameters),
            requestType: requestType,
            responseType: responseType,
            timeoutInterval: request.timeout
                ?? request.timeouts.map { TimeLimit.seconds($0.total) } ?? NetworkConstants.defaultTimeout
        )
    }

    /// The body parameters as the names and values of a form.
    fileprivate var formPairs: [String: String] { bodyParams.mapValues { "\($0)" } }
}

extension HttpRequest {
    /// Returns this request with the differences between two requests, and without any other change.
    ///
    /// - Parameters:
    ///   - changed: The request that the last interceptor has returned.
    ///   - original: The request that the first interceptor has received.
    func applying(_ changed: Request, to original: Request) -> HttpRequest {
        var request = self
        request.applyURL(of: changed, to: original)
        request.applyBody(of: changed, to: original)
        // Setting a body also sets the method.
        request.setMethod(changed.method == original.method ? getMethod().rawValue : changed.method.rawValue)
        if changed.responseType != original.responseType {
            request.setHeader(name: NetworkConstants.headerAccept, value: changed.responseType.rawValue)
        }
        request.applyHeaders(of: changed, to: original)
        if changed.timeoutInterval != original.timeoutInterval { request.timeout = changed.timeoutInterval }
        return request
    }

    private mutating func applyURL(of changed: Request, to original: Request) {
        if changed.url != original.url {
            // The query of the former URL is part of the parameters that the interceptor has received.
            parameters = queryOfURL + parameters
            url = changed.url
        }
        for (name, value) in differences(from: original.urlParams, to: changed.urlParams) {
            if let value { setParameter(name: name, value: value) } else { removeParameter(name: name) }
        }
    }

    private mutating func applyBody(of changed: Request, to original: Request) {
        let hasNewType = changed.requestType != original.requestType
        if formFields != nil, !hasNewType, !changed.bodyParams.isEmpty {
            for (name, value) in differences(from: original.formPairs, to: changed.formPairs) {
                if let value { setFormField(name: name, value: value) } else { removeFormField(name: name) }
            }
            return
        }
        var (new, old) = (HttpRequest(), HttpRequest())
        new.setBody(of: changed)
        old.setBody(of: original)
        if new.problems.isEmpty, new.bodyData == old.bodyData, !hasNewType || new.bodyData.isEmpty { return }
        if hasNewType || changed.bodyParams.isEmpty { removeHeader(name: NetworkConstants.headerContentType) }
        setBody(of: changed)
    }

    /// Sets the body to the body parameters of a request, in its request type.
    private mutating func setBody(of request: Request) {
        setBody(nil)
        if request.bodyParams.isEmpty { return }
        switch request.requestType {
        case .json: post(json: request.bodyParams)
        case .urlEncoded: form(parameters: request.formPairs)
        case .plainText:
            let lines = request.formPairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\r\n" }
            post(contentType: NetworkConstants.contentTypeText, body: lines.joined())
        }
    }

    private mutating func applyHeaders(of changed: Request, to original: Request) {
        let sensitiveNames = Set(fields.filter { $0.indexingStrategy == .disallow }.map(\.name))
        for name in original.headers.keys where changed.headers[name] == nil { removeHeader(name: name) }
        for (name, value) in changed.headers.sorted(by: { $0.key < $1.key }) where original.headers[name] != value {
            let isSensitive = HTTPField.Name(name).map(sensitiveNames.contains) ?? false
            setHeader(name: name, value: value, isSensitive: isSensitive)
        }
    }

    fileprivate var bodyData: Data { if case .data(let data) = body { data } else { Data() } }

    fileprivate var urlWithoutQuery: String { String((url ?? "").prefix { $0 != "?" && $0 != "#" }) }

    /// The parameters in ``url``, without those in ``parameters``.
    fileprivate var queryOfURL: [(name: String, value: String)] {
        QueryText.pairs(of: (url ?? "").prefix { $0 != "#" }.dropFirst(urlWithoutQuery.count + 1))
    }

    /// Returns the media type in a header; JSON if there is no such header, or if it contains another type.
    fileprivate func contentType(in header: String) -> Request.ContentType {
        let type = getHeader(name: header)?.lowercased().prefix { $0 != ";" && $0 != "," && $0 != " " }
        return type.flatMap { Request.ContentType(rawValue: String($0)) } ?? .json
    }
}

/// Returns the first value of each name.
private func firstValues(of pairs: [(name: String, value: String)]) -> [String: String] {
    Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
}

/// Returns the sorted names that have different values in two dictionaries, and their new values; `nil` for a name that was removed.
private func differences(
    from original: [String: String],
    to changed: [String: String]
) -> [(name: String, value: String?)] {
    Set(changed.keys).union(original.keys).sorted()
        .filter { changed[$0] != original[$0] }
        .map { ($0, changed[$0]) }
}
