import Foundation
import Sallyport
import SallyportService
import SallyportTransfers

// The Swift blocks of the documentation of SallyportTransfers and SallyportService that are not in the README; see ReadmeTests.

// SallyportTransfers.md

private func downloaded(client: HttpClient, map: URL) async throws -> DownloadedFile {
    let transfer = client.download(to: .file(map)) { request in
        request.url = "https://example.com/map.zip"
    }
    for await progress in transfer.progress { print(progress.fraction ?? 0) }
    let file = try await transfer.value
    return file
}

// Choosing-a-Transfer.md

private func limited(client: HttpClient, request: HttpRequest, folder: URL) async throws -> DownloadedFile {
    let limit = try RateLimit(bytesPerSecond: 512 << 10)
    var options = DownloadOptions()
    options.rateLimit = limit
    let file = try await client.download(request, to: .folder(folder), options: options).value
    return file
}

// SallyportService.md

private func described(client: HttpClient) async throws -> String {
    struct User: Decodable {
        var name: String
    }

    struct GetUser: Endpoint {
        typealias Response = User
        var id: Int
        var path: EndpointPath { "/users/\(id)" }
    }

    let service = try ServiceClient(baseURL: "https://api.example.com/v1", client: client)
    let ada = try await service.call(GetUser(id: 7))
    return ada.name
}

private enum PhotoAPI {
    struct Photo: Decodable {
        var id: Int
    }

    struct GetMap: Endpoint {
        var path: EndpointPath { "/map" }
    }

    struct AddPhoto: Endpoint {
        typealias Response = Photo
        var photo: URL
        var path: EndpointPath { "/photos" }
        var body: EndpointBody { .raw(.file(photo), contentType: "image/jpeg") }
    }

    static func transferred(service: ServiceClient, file: URL, folder: URL) async throws {
        let added = try await service.upload(AddPhoto(photo: file)) { progress in print(progress.fraction ?? 0) }
        let map = try await service.download(GetMap(), to: .folder(folder))
        print(added.id, map.url)
    }

    static func enveloped() throws -> ServiceClientConfiguration {
        var configuration = try ServiceClientConfiguration(baseURL: "https://api.example.com/v1")
        configuration.responseFormat = .enveloped(payload: "data", status: "meta")
        return configuration
    }
}
