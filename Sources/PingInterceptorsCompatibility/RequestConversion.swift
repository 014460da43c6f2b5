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
            case .urlEncoded: request.formFields.dictionary
            case .plainText: [:]
            }
        self.init(
            url: request.urlWithoutQuery,
            method: HTTPMethod(rawValue: request.getMethod().rawValue) ?? .POST,
            headers: headers,
            bodyParams: bodyParams,
            urlParams: NamedValues(request.queryOfURL.pairs + request.parameters).dictionary,
            requestType: requestType,
            responseType: responseType,
            timeoutInterval: request.timeout
                ?? request.timeouts.map { TimeLimit.seconds($0.total) } ?? NetworkConstants.defaultTimeout
        )
    }

    /// The body parameters as the fields of a form.
    fileprivate var formFields: [String: String] { bodyParams.mapValues { "\($0)" } }
}

extension HttpRequest {
    /// Returns this request with the differences between two requests, and without any other change.
    ///
    /// - Parameters:
    ///   - changed: The request that the last interceptor has returned.
    ///   - original: The request that the first interceptor has received.
    func applying(_ changed: Request, to original: Request) -> HttpRequest {
        var request = self
        request.applyParameters(of: changed, to: original)
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

    private mutating func applyParameters(of changed: Request, to original: Request) {
        let query = queryOfURL
        let changesQuery = query.pairs.contains { changed.urlParams[$0.name] != original.urlParams[$0.name] }
        var all = NamedValues(parameters)
        if changed.url != original.url || changesQuery {
            url = changed.url == original.url ? urlWithoutQuery : changed.url
            all = NamedValues(query.pairs + parameters)
        }
        all.apply(changed.urlParams, to: original.urlParams)
        parameters = all.pairs
    }

    private mutating func applyBody(of changed: Request, to original: Request) {
        let (new, old) = (HttpRequest(bodyOf: changed), HttpRequest(bodyOf: original))
        let hasNewType = changed.requestType != original.requestType
        if new.problems.isEmpty, new.bodyData == old.bodyData, !hasNewType || new.bodyData.isEmpty { return }
        let fields = formFields
        setBody(nil)
        if hasNewType || changed.bodyParams.isEmpty { removeHeader(name: NetworkConstants.headerContentType) }
        if changed.bodyParams.isEmpty { return }
        switch changed.requestType {
        case .json:
            post(json: changed.bodyParams)
        case .plainText:
            post(contentType: NetworkConstants.contentTypeText, body: new.bodyData)
        case .urlEncoded:
            var all = hasNewType ? NamedValues([]) : fields
            all.apply(changed.formFields, to: hasNewType ? [:] : original.formFields)
            form(parameters: all.pairs.map { ($0.name, $0.value) })
        }
    }

    private mutating func applyHeaders(of changed: Request, to original: Request) {
        for name in original.headers.keys where changed.headers[name] == nil { removeHeader(name: name) }
        for (name, value) in changed.headers.sorted(by: { $0.key < $1.key }) where original.headers[name] != value {
            let isSensitive = HTTPField.Name(name).map { name in
                fields[fields: name].contains { $0.indexingStrategy == .disallow }
            }
            setHeader(name: name, value: value, isSensitive: isSensitive ?? false)
        }
    }
}

extension HttpRequest {
    /// Creates a request with the body parameters of another one.
    private init(bodyOf request: Request) {
        self.init()
        if request.bodyParams.isEmpty { return }
        switch request.requestType {
        case .json: post(json: request.bodyParams)
        case .urlEncoded: form(parameters: request.formFields)
        case .plainText:
            let lines = request.formFields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\r\n" }
            post(contentType: NetworkConstants.contentTypeText, body: lines.joined())
        }
    }

    fileprivate var bodyData: Data { if case .data(let data) = body { data } else { Data() } }

    fileprivate var formFields: NamedValues { NamedValues(decoding: String(decoding: bodyData, as: UTF8.self)) }

    fileprivate var urlWithoutQuery: String { String((url ?? "").prefix { $0 != "?" && $0 != "#" }) }

    /// The parameters in ``url``, without those in ``parameters``.
    fileprivate var queryOfURL: NamedValues {
        NamedValues(decoding: (url ?? "").prefix { $0 != "#" }.dropFirst(urlWithoutQuery.count + 1))
    }

    /// Returns the media type in a header; JSON if there is no such header, or if it contains another type.
    fileprivate func contentType(in header: String) -> Request.ContentType {
        let type = getHeader(name: header)?.lowercased().prefix { $0 != ";" && $0 != "," && $0 != " " }
        return type.flatMap { Request.ContentType(rawValue: String($0)) } ?? .json
    }
}

/// The parameters of a query or the fields of a form, in order.
private struct NamedValues {
    private(set) var pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    init(decoding text: some StringProtocol) {
        func decoded(_ text: some StringProtocol) -> String {
            let spaced = String(text).replacing("+", with: " ")
            return spaced.removingPercentEncoding ?? spaced
        }
        pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// The first value of each name.
    var dictionary: [String: String] { Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first } }

    /// Applies the differences between two dictionaries: a new value replaces all values of its name, or is added at the end.
    mutating func apply(_ changed: [String: String], to original: [String: String]) {
        for name in Set(changed.keys).union(original.keys).sorted() where changed[name] != original[name] {
            let index = pairs.firstIndex { $0.name == name } ?? pairs.endIndex
            pairs.removeAll { $0.name == name }
            if let value = changed[name] { pairs.insert((name, value), at: index) }
        }
    }
}
