import Alamofire
import Foundation

// The Swift blocks of Docs/Guides.docc/Migrating-from-Alamofire.md that use Alamofire.

struct Book: Codable {
    var title: String
}

func books() async throws -> [Book] {
    let parameters = ["q": "swift"]
    let books = try await AF.request("https://api.example.com/books", parameters: parameters)
        .validate()
        .serializingDecodable([Book].self)
        .value
    return books
}

func added(book: Book) async throws -> Book {
    let added = try await AF.request(
        "https://api.example.com/books",
        method: .post,
        parameters: book,
        encoder: JSONParameterEncoder.default
    )
    .validate()
    .serializingDecodable(Book.self)
    .value
    return added
}

func load() {
    AF.request("https://api.example.com/books").validate().responseDecodable(of: [Book].self) { response in
        switch response.result {
        case .success(let books): print(books.count)
        case .failure(let error): print(error)
        }
    }
}

final class TokenInterceptor: RequestInterceptor, @unchecked Sendable {
    var accessToken = ""
    var refresh: @Sendable (@escaping @Sendable (Bool) -> Void) -> Void = { $0(false) }

    func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        var urlRequest = urlRequest
        urlRequest.headers.add(.authorization(bearerToken: accessToken))
        completion(.success(urlRequest))
    }

    func retry(
        _ request: Request,
        for session: Session,
        dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard request.response?.statusCode == 401, request.retryCount == 0 else { return completion(.doNotRetry) }
        refresh { isRefreshed in completion(isRefreshed ? .retry : .doNotRetry) }
    }
}

let session = Session(interceptor: TokenInterceptor())

func retryingSession() -> Session {
    let session = Session(interceptor: RetryPolicy(retryLimit: 3))
    return session
}

func upload(photo: URL) async throws -> Data {
    let response = try await AF.upload(
        multipartFormData: { form in
            form.append(Data("Rome".utf8), withName: "title")
            form.append(photo, withName: "photo")
        },
        to: "https://api.example.com/photos"
    )
    .uploadProgress { progress in print(progress.fractionCompleted) }
    .validate()
    .serializingData()
    .value
    return response
}

func download(map: URL) async throws -> URL {
    let destination: DownloadRequest.Destination = { _, _ in
        (map, [.removePreviousFile, .createIntermediateDirectories])
    }
    let file = try await AF.download("https://example.com/map.zip", to: destination)
        .downloadProgress { progress in print(progress.fractionCompleted) }
        .validate()
        .serializingDownloadedFileURL()
        .value
    return file
}

func pinnedSession() -> Session {
    let trust = ServerTrustManager(evaluators: ["api.example.com": PublicKeysTrustEvaluator()])
    let session = Session(serverTrustManager: trust)
    return session
}

func failed() async {
    let result = await AF.request("https://api.example.com/books").validate().serializingData().result
    if case .failure(let error) = result {
        switch error {
        case .responseValidationFailed: print("status", error.responseCode ?? 0)
        case .explicitlyCancelled: break
        default: print(error)
        }
    }
}
