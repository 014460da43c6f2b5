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

private func uploaded(client: HttpClient, photo: URL) async throws -> HttpResponse {
    let sending = client.upload { request in
        request.url = "https://api.example.com/photos"
        request.body = .file(photo)
    }
    let response = try await sending.value  // an HttpResponse
    return response
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

    let service = try NetworkService(baseURL: "https://api.example.com/v1", client: client)
    let ada = try await service.call(GetUser(id: 7))
    return ada.name
}
