import Foundation
import Sallyport
import SallyportService

/// An article of the API.
public struct Article: Codable, Sendable, Identifiable {
    /// The identifier at the server.
    public var id: Int
    /// The title, in plain text.
    public var title: String
    /// The text, in Markdown.
    public var text: String
}

/// Lists articles.
struct ListArticles: Endpoint {
    typealias Response = [Article]
    var page: Int
    var path: EndpointPath { "/articles" }
    var parameters: EndpointParameters { ["page": page] }
}

/// Stores a changed article.
struct SaveArticle: Endpoint {
    typealias Response = Article
    var article: Article
    var path: EndpointPath { "/articles/\(article.id)" }
    var method: HttpMethod { .put }
    var body: EndpointBody { .json(article) }
}

/// The articles of the API.
public struct Articles: Sendable {
    private let service: ServiceClient

    /// - Parameter client: The client that performs the calls; in tests, one with a `MockTransport`.
    public init(baseURL: String, client: HttpClient) throws {
        service = try ServiceClient(baseURL: baseURL, client: client)
    }

    /// Returns a page of articles.
    public func list(page: Int = 1) async throws(NetworkServiceError) -> [Article] {
        try await service.call(ListArticles(page: page))
    }

    /// Stores a changed article.
    public func save(_ article: Article) async throws(NetworkServiceError) -> Article {
        try await service.call(SaveArticle(article: article))
    }
}
