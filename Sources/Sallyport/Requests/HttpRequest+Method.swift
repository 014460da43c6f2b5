import HTTPTypes
import SallyportTransport

/// An HTTP method: `.get`, `.post`, `.put`, `.patch`, `.delete`, `.head`, `.options` and so on.
public typealias HttpMethod = HTTPRequest.Method

extension HttpRequest {
    /// Sets the method without changing the body.
    public mutating func setMethod(_ method: HttpMethod) {
        self.method = method
    }

    /// Sets a method that has no constant.
    ///
    /// - Parameter name: A case-sensitive token (RFC 9110, section 5.6.2). With any other text, sending the request fails.
    public mutating func setMethod(_ name: String) {
        guard let method = HttpMethod(name) else {
            return recordProblem(
                NetworkFailure(
                    "the method \"\(VisibleText.line(name))\" is not a token",
                    advice: "use a name such as PURGE"
                ),
                of: .method
            )
        }
        self.method = method
    }

    /// Returns the method. The default is GET.
    public func getMethod() -> HttpMethod { method }

    /// Sets the method to GET and removes the body.
    public mutating func get() {
        method = .get
        clearBody()
    }

    /// Sets the method to POST and removes the body.
    public mutating func post() {
        method = .post
        clearBody()
    }

    /// Sets the method to PUT and removes the body.
    public mutating func put() {
        method = .put
        clearBody()
    }

    /// Sets the method to PATCH and removes the body.
    public mutating func patch() {
        method = .patch
        clearBody()
    }

    /// Sets the method to DELETE and removes the body.
    public mutating func delete() {
        method = .delete
        clearBody()
    }

    /// Removes the body and its `Content-Type`.
    private mutating func clearBody() {
        clearProblems(of: .body)
        if case .none = body { return }
        body = .none
        removeHeader(name: NetworkConstants.headerContentType)
    }
}

extension HttpRequest {
    /// The parameters of the URL's query by name. A name that has several values has the first; setting one replaces all.
    ///
    /// ```swift
    /// request.query["page"] = "2"
    /// request.query["tag"] = nil
    /// ```
    public var query: Query {
        get { Query(request: self) }
        set { self = newValue.request }
    }

    /// The parameters of a request's query; see ``HttpRequest/query``.
    public struct Query: Sendable {
        fileprivate var request: HttpRequest

        /// The value of a parameter; `nil` if there is none.
        public subscript(name: String) -> String? {
            get {
                let url = (request.url ?? "").prefix { $0 != "#" }
                let own = url.firstIndex(of: "?").map { QueryText.pairs(of: url[url.index(after: $0)...]) } ?? []
                return (own + request.parameters).first { $0.name == name }?.value
            }
            set {
                if let newValue {
                    request.setParameter(name: name, value: newValue)
                } else {
                    request.removeParameter(name: name)
                }
            }
        }
    }

    /// Sets a parameter of the URL's query, replacing all parameters with that name.
    ///
    /// It follows the other parameters. Parameters in the query of the current ``url`` are replaced as well.
    ///
    /// ```swift
    /// request.url = "https://api.example.com/search"
    /// request.setParameter(name: "q", value: "swift")
    /// request.setParameter(name: "page", value: "1")
    /// // GET https://api.example.com/search?q=swift&page=1
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name, which is percent-encoded (RFC 3986).
    ///   - value: The value, which is percent-encoded (RFC 3986).
    public mutating func setParameter(name: String, value: String) {
        removeParameter(name: name)
        addParameter(name: name, value: value)
    }

    /// Adds a parameter to the URL's query without replacing others with the same name; see ``setParameter(name:value:)``.
    ///
    /// ```swift
    /// request.addParameter(name: "tag", value: "a")
    /// request.addParameter(name: "tag", value: "b")  // ?tag=a&tag=b
    /// ```
    public mutating func addParameter(name: String, value: String) {
        parameters.append((name, value))
    }

    /// Removes all parameters with a name, including those in the query of the current ``url``.
    public mutating func removeParameter(name: String) {
        parameters.removeAll { $0.name == name }
        guard let url else { return }
        let beforeFragment = url.prefix { $0 != "#" }
        guard let mark = beforeFragment.firstIndex(of: "?") else { return }
        let query = beforeFragment[mark...].dropFirst()
        let kept = QueryText.removing(name, from: query)
        if kept == query { return }
        self.url = url[..<mark] + (kept.isEmpty ? "" : "?" + kept) + url[query.endIndex...]
    }
}
