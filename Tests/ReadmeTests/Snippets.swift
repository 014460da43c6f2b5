import Foundation
import Sallyport
import SallyportLoopback
import SallyportOAuth
import SallyportTransfers

// The Swift blocks of the README, and of the articles that describe a whole feature. They are compiled here, and ReadmeTests compares
// the files.

func firstRequest() async throws {
    let client = HttpClient.createClient()
    let response = try await client.request { request in
        request.url = "https://api.example.com/search"
        request.query["q"] = "swift"
        request.headers["Accept-Language"] = "en"
    }
    print(response.status, response.bodyAsString())
}

func configured() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.timeout = 30
        config.logger = LogManager.standard
        config.redirects = .follow(limit: 5)
        config.onRequest { request in
            request.setHeader(name: "Accept-Language", value: "en")
        }
        config.onResponse { response in
            print("\(response.request.url ?? "") answered \(response.status)")
        }
    }
    return client
}

func secured(currentKey: String, backupKey: String, password: String) throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        try config.pins.pin("api.example.com", to: [currentKey, backupKey])  // "sha256/…"
        config.authentication = [.digest(user: "ada", password: password, for: "https://api.example.com")]
        config.proxy = .proxy(try Proxy("http://proxy.example.com:3128"), except: ["localhost"])
    }
    return client
}

func downloaded(client: HttpClient) async throws {
    let documents = URL.homeDirectory.appending(path: "Documents")  // an existing folder
    var options = DownloadOptions()
    options.existingFile = .replace  // or .number; by default, an existing file is an error
    options.connections = 4  // parallel ranges, if the server supports ranges
    let transfer = client.download(to: .folder(documents), options: options) { request in
        request.url = "https://example.com/map.zip"
    }
    for await progress in transfer.progress { print(progress.fraction ?? 0) }  // nil while unknown, like timeLeft
    let map = try await transfer.value  // a DownloadedFile
    print(map.url, map.length)
}

func uploaded(client: HttpClient, documents: URL) async throws {
    let photo = documents.appending(path: "photo.jpg")
    let sending = client.upload { request in
        request.url = "https://api.example.com/photos"
        request.body = .file(photo)
    }
    sending.pause()  // the server keeps the received bytes, if it supports that
    sending.resume()
    let uploaded = try await sending.value  // an HttpResponse

    var form = MultipartForm()
    form.append(name: "photo", files: [photo])  // instead of the body: request.multipart(form)
    print(uploaded.status, form)
}

func queued(client: HttpClient, documents: URL) async throws {
    let queue = try TransferQueue(folder: documents.appending(path: "transfers"), client: client)
    try await queue.enqueue(.download("https://example.com/map.zip", to: .folder(documents), identifier: "map"))
    try await queue.runUntilEmpty()  // or run(), in a task that runs as long as the app
    let report = try await queue.result(of: "map")  // in this process or a later one
    print(report.state, report.error ?? "")
}

struct User: Decodable {
    var name: String
}

func clientsOfUsers(client: HttpClient) -> [HttpClient] {
    let alice = client.forUser()
    let bob = client.forUser()  // does not receive the cookies that a server sets for alice
    return [alice, bob]
}

func followed(client: HttpClient) async throws {
    let pages = client.pages { request in request.url = "https://api.example.com/users" }
    for try await user in pages.elements(of: [User].self) { print(user.name) }

    let events = client.events { request in request.url = "https://api.example.com/events" }
    for try await event in events { print(event.type, event.data) }
}

func streamed(client: HttpClient) async throws {
    let size = try await client.stream { request in
        request.url = "https://api.example.com/export"
        request.timeout = 3600
    } handle: { response in
        var size = 0
        for try await chunk in response.bodyStream { size += chunk.count }
        return size
    }
    print(size)
}

func failing(client: HttpClient) async throws {
    do {
        _ = try await client.request { request in request.url = "https://api.example.com/slow" }
    } catch NetworkError.timeout(let failure) {
        print(failure)  // GET https://api.example.com/slow: the call took longer than its limit of 15 s (while …
    }
}

func failingInTask(client: HttpClient) {
    Task {
        do throws(NetworkError) {
            let response = try await client.request { request in request.url = "https://api.example.com/users" }
            print(response.status)
        } catch {
            print(error.failure.reason, error.failure.advice ?? "")  // error is a NetworkError
        }
    }
}

func kept(client: HttpClient) async {
    var request = client.request()
    request.url = "https://api.example.com/users"
    request.setHeader(name: "Accept", value: "application/json")
    do {
        let response = try await client.request(request: request)
        print(response.headers["content-type"]?.first ?? "no type")
    } catch NetworkError.hostNotFound(let failure) {
        print("Check the address: \(failure)")
    } catch {
        print(error)
    }
}

func retries() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.retry = .exponential(attempts: 4)
    }
    return client
}

#if os(Linux) || os(macOS)
func signingIn(client: HttpClient) async throws {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.scopes = ["openid", "offline_access"]
    }
    let tokens = URL.homeDirectory.appending(path: ".config/app/tokens.json")  // only you can read it
    let session = OAuthSession(refresher: server, store: FileTokenStore(at: tokens))
    try await session.save(try await server.signIn(with: SystemBrowser()))

    let api = client.authorized(by: session, for: "https://api.example.com")
    let me = try await api.request { request in request.url = "https://api.example.com/me" }
    print(me.status)
}
#endif

func actions() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.onRequest { request in
            guard request.action?.type == "START_AUTHENTICATE" else { return }
            request.setParameter(name: "ForceAuth", value: "true")
        }
    }
    return client
}

// Caching-Responses.md

func cachingClient(folder: URL) async throws {
    let storage = DirectoryCacheStorage(at: folder)
    let client = HttpClient.createClient { config in
        config.cache = HttpCache(storage: storage)
    }
    let response = try await client.request { request in request.url = "https://api.example.com/catalog" }
    print(response.cacheStatus?.description ?? "")  // Sallyport; hit; ttl=30
}

func cacheDirectives(client: HttpClient) async throws -> [HttpResponse] {
    let newest = try await client.request { request in
        request.url = "https://api.example.com/catalog"
        request.setHeader(name: "Cache-Control", value: "no-cache")  // validates the stored response
    }
    let offline = try await client.request { request in
        request.url = "https://api.example.com/catalog"
        request.setHeader(name: "Cache-Control", value: "only-if-cached, max-stale")  // 504 if none is stored
    }
    return [newest, offline]
}

func cacheOfUser(client: HttpClient, storage: DirectoryCacheStorage) -> HttpClient {
    let alice = client.forUser { config in config.cache = HttpCache(storage: storage, user: "alice") }
    return alice
}

func storedResponses(storage: DirectoryCacheStorage) async throws {
    for entry in try await storage.allEntries() { print(entry.head.url, entry.bodyLength) }
    try await storage.removeAll(of: HttpCacheKey.resource(of: "https://api.example.com/catalog"))
}
