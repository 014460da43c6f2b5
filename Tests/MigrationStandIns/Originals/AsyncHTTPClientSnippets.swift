import AsyncHTTPClient
import Foundation
import NIOCore

// The Swift blocks of Docs/Guides.docc/Migrating-from-AsyncHTTPClient.md that use AsyncHTTPClient.

struct Book: Codable {
    var title: String
}

func client() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .init(connect: .seconds(5), read: .seconds(30))
    configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
    configuration.proxy = .server(host: "proxy.example.com", port: 3128)
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    return client
}

func books(client: HTTPClient) async throws -> [Book] {
    let request = HTTPClientRequest(url: "https://api.example.com/books?q=swift")
    let response = try await client.execute(request, timeout: .seconds(30))
    guard response.status == .ok else { return [] }
    let body = try await response.body.collect(upTo: 1_048_576)
    let books = try JSONDecoder().decode([Book].self, from: Data(body.readableBytesView))
    return books
}

func create(client: HTTPClient, book: Book) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: "https://api.example.com/books")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(book)))
    let response = try await client.execute(request, timeout: .seconds(30))
    return response
}

func size(client: HTTPClient) async throws -> Int {
    let request = HTTPClientRequest(url: "https://api.example.com/export")
    let response = try await client.execute(request, timeout: .hours(1))
    var size = 0
    for try await buffer in response.body { size += buffer.readableBytes }
    return size
}

func download(client: HTTPClient) async throws {
    let request = try HTTPClient.Request(url: "https://example.com/map.zip")
    let delegate = try FileDownloadDelegate(path: "/srv/map.zip", reportProgress: { print($0.receivedBytes) })
    _ = try await client.execute(request: request, delegate: delegate).get()
}

func failed(client: HTTPClient) async {
    do {
        let request = HTTPClientRequest(url: "https://api.example.com/books")
        print(try await client.execute(request, timeout: .seconds(30)).status)
    } catch let error as HTTPClientError where error == .connectTimeout || error == .readTimeout {
        print("try again")
    } catch {
        print(error)
    }
}

func end(client: HTTPClient) async throws {
    try await client.shutdown()
}
