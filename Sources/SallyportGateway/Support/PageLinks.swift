import HTTPTypes
import Hummingbird

/// The links from one page of a list to others (RFC 8288).
struct PageLinks {
    let page: Int
    let size: Int
    let last: Int

    init(page: Int, size: Int, count: Int) {
        self.page = page
        self.size = size
        last = max((count + size - 1) / size, 1)
    }

    /// The pages by their relations, in order.
    private var pages: [(relation: String, page: Int)] {
        var pages: [(String, Int)] = []
        if page < last { pages.append(("next", page + 1)) }
        if page > 1 { pages.append(("prev", min(page - 1, last))) }
        return pages + [("first", 1), ("last", last)]
    }

    /// Returns the `Link` header. Its relative references contain the other items of the query.
    @available(macOS 14, iOS 17, tvOS 17, *)
    func fields(for request: Request) -> HTTPFields {
        guard let name = HTTPField.Name("Link") else { return [:] }
        return [name: links(for: request)]
    }

    @available(macOS 14, iOS 17, tvOS 17, *)
    private func links(for request: Request) -> String {
        let others = (request.uri.query ?? "").split(separator: "&").filter { item in
            !["page", "per_page"].contains(NamedValue(item).name)
        }
        return pages.map { relation, page in
            let query = others.map(String.init) + ["page=\(page)", "per_page=\(size)"]
            return "<\(request.uri.path)?\(query.joined(separator: "&"))>; rel=\"\(relation)\""
        }.joined(separator: ", ")
    }
}
