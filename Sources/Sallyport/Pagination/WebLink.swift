/// A link from a response to another resource, in a `Link` header (RFC 8288).
public struct WebLink: Sendable, Hashable {
    /// The target as the server sent it, which may be relative to the response's URL.
    public var target: String

    /// The relations in lower case, such as `next`, `prev`, `first` and `last`, or URLs.
    public var relations: [String]

    /// The other parameters by their names in lower case. Only the first of each name is included.
    public var parameters: [String: String]

    /// Creates a link.
    public init(target: String, relations: [String], parameters: [String: String] = [:]) {
        self.target = target
        self.relations = relations
        self.parameters = parameters
    }
}

extension HttpResponse {
    /// The links in the `Link` headers, in order. Invalid links are ignored.
    public var links: [WebLink] {
        getHeaders(name: "Link").flatMap(WebLinkScanner.links)
    }

    /// Returns the absolute URL of the first link with a relation, such as `next`; `nil` if there is none.
    ///
    /// A link is ignored if its `anchor` states another resource.
    ///
    /// - Parameter relation: The relation, which is not case-sensitive.
    public func link(_ relation: String) -> String? {
        let relation = relation.lowercased()
        let base = request.url ?? ""
        for link in links where link.relations.contains(relation) {
            if let anchor = link.parameters["anchor"], !isOwn(anchor, base) { continue }
            return RequestTarget.resolved(link.target, against: base)
        }
        return nil
    }

    private func isOwn(_ anchor: String, _ base: String) -> Bool {
        guard let url = RequestTarget.resolved(anchor, against: base), !anchor.hasPrefix("#") else { return false }
        return (try? RequestTarget(url: url)) == (try? RequestTarget(url: base))
    }
}
