/// A link of a response to another resource, from its `Link` header (RFC 8288).
public struct WebLink: Sendable, Hashable {
    /// Where it leads, as the server wrote it: often relative to the response's URL.
    public var target: String

    /// What it leads to, in lower case: `next`, `prev`, `first`, `last` and the like, or URLs.
    public var relations: [String]

    /// Its other parameters, by their names in lower case; the first of each name.
    public var parameters: [String: String]

    /// Makes a link.
    public init(target: String, relations: [String], parameters: [String: String] = [:]) {
        self.target = target
        self.relations = relations
        self.parameters = parameters
    }
}

extension HttpResponse {
    /// The links in its `Link` headers, in order. What is not a link is left out.
    public var links: [WebLink] {
        getHeaders(name: "Link").flatMap(WebLinkScanner.links)
    }

    /// The absolute URL of the first link with a relation, such as `next`.
    ///
    /// A link about another resource than this response's own, which an `anchor` says, does not count.
    ///
    /// - Parameter relation: The relation, in any case.
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
