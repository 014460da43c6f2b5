import ClientTestSupport
import Foundation
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

/// Encrypts a request, as far as the cache can see.
private struct Sealing: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.setHeader(name: "X-Sealed", value: "1")
        return try await next(request)
    }
}

@Suite(.concurrencyLimited) struct CacheUserTests {
    /// Returns a server that responds with the credentials of the request.
    private func echo(_ cacheControl: String = "max-age=60") -> MockTransport {
        MockTransport { request in
            let credentials = request.header("Authorization") ?? request.header("Cookie") ?? "nobody"
            return MockResponse(headers: [.cacheControl: cacheControl], body: Data(credentials.utf8))
        }
    }

    private func body(_ client: HttpClient, _ token: String? = nil) async throws -> String {
        try await client.request { request in
            request.url = "https://api.example.com/account?id=1"
            if let token { request.setHeader(name: "Authorization", value: "Bearer \(token)") }
        }.bodyAsString()
    }

    @Test func `Two users never receive each other's response in 1,000 concurrent calls`() async throws {
        let server = echo()
        let storage = MemoryCacheStorage()
        let client = makeCachingClient(server, HttpCache(storage: storage)) { $0.cookieJar = nil }
        func countWrong() async throws -> Int {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1_000 {
                    let token = number.isMultiple(of: 2) ? "alice" : "bob"
                    group.addTask { try await body(client, token) != "Bearer \(token)" }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(try await countWrong() == 0)
        #expect(await storage.allEntries().count == 2)
        let sent = server.requests.count
        #expect(try await countWrong() == 0)
        #expect(server.requests.count == sent)
    }

    @Test func `Two users over real connections never receive each other's response`() async throws {
        let answers = (0..<100).map { _ in
            ["alice", "bob"].map { user in
                [
                    ScriptStep.receive(until: "Bearer \(user)"), .receive(until: "\r\n\r\n"),
                    .send(rawResponse(200, ["Cache-Control: max-age=60"], user)),
                ]
            }
        }
        try await withScriptedServer([answers.joined().flatMap(\.self)]) { server in
            let clock = CacheClock()
            let client = HttpClient.createClient { config in
                config.cache = clock.cache()
                config.cookieJar = nil
            }
            defer { client.close() }
            // Each round requests a new URL for both users in turn, then again at the same time.
            for round in 0..<100 {
                let url = "http://\(server.authority)/\(round)"
                for user in ["alice", "bob"] {
                    let response = try await client.request(
                        request: HttpRequest("GET", url, ["Authorization: Bearer \(user)"])
                    )
                    #expect(response.bodyAsString() == user)
                }
                try await withThrowingTaskGroup(of: (String, HttpResponse).self) { group in
                    for user in ["alice", "bob", "alice", "bob", "alice", "bob", "alice", "bob"] {
                        group.addTask {
                            (
                                user,
                                try await client.request(
                                    request: HttpRequest("GET", url, ["Authorization: Bearer \(user)"])
                                )
                            )
                        }
                    }
                    for try await (user, response) in group {
                        #expect(response.bodyAsString() == user)
                        #expect(response.cacheStatus?.isHit == true)
                    }
                }
            }
        }
    }

    @Test func `A client for another user does not use the name of the parent's user`() async throws {
        let server = echo()
        let client = makeCachingClient(server, CacheClock().cache(user: "alice"))
        #expect(try await body(client, "alice") == "Bearer alice")
        #expect(try await body(client.forUser(), "bob") == "Bearer bob")
    }

    @Test func `Clients of two users with their own cookies share a storage`() async throws {
        let server = echo()
        let client = makeCachingClient(server)
        for _ in 0..<2 {
            for user in ["alice", "bob"] {
                let jar = CookieJar()
                jar.store(Cookie(name: "session", value: user, domain: "api.example.com"))
                #expect(try await body(client.forUser(cookieJar: jar)) == "session=\(user)")
            }
        }
        #expect(server.requests.count == 2)
    }

    @Test func `Cookies that a response sets begin another partition`() async throws {
        let server = MockTransport { request in
            let cookie = request.header("Cookie") ?? "none"
            return MockResponse(
                headers: [.cacheControl: "max-age=60", .setCookie: "session=1"],
                body: Data(cookie.utf8)
            )
        }
        let client = makeCachingClient(server)
        #expect(try await body(client) == "none")
        #expect(try await body(client) == "session=1")
        #expect(try await body(client) == "session=1")
        #expect(server.requests.count == 2)
    }

    @Test func `An identifier of the user keeps responses when the token is refreshed`() async throws {
        let server = echo()
        let client = makeCachingClient(server, CacheClock().cache(user: "alice"))
        #expect(try await body(client, "1") == "Bearer 1")
        #expect(try await body(client, "2") == "Bearer 1")
        #expect(try await body(client) == "nobody")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["Digest username=\"alice\", nonce=\"a\", nc=00000001", "AWS4-HMAC-SHA256 Signature=a"])
    func `Responses to credentials that no later request has are stored for a named user only`(
        credentials: String
    ) async throws {
        let server = echo()
        let request = HttpRequest("GET", "https://api.example.com/", ["Authorization: \(credentials)"])
        for (user, description) in [
            (nil, "Sallyport; fwd=uri-miss; detail=one-time-credentials"),
            ("alice", "Sallyport; fwd=uri-miss; ttl=60; stored"),
        ] {
            let client = makeCachingClient(server, CacheClock().cache(user: user))
            let response = try await client.request(request: request)
            #expect(response.cacheStatus?.description == description)
        }
    }

    @Test func `Users with different identifiers have different partitions`() async throws {
        let server = echo()
        let storage = MemoryCacheStorage()
        let (alice, bob) = (CacheClock().cache(storage, user: "alice"), CacheClock().cache(storage, user: "bob"))
        #expect(try await body(makeCachingClient(server, alice), "a") == "Bearer a")
        #expect(try await body(makeCachingClient(server, bob), "b") == "Bearer b")
        #expect(await storage.allEntries().count == 2)
    }

    @Test func `Responses to sealed requests are not stored`() async throws {
        let server = echo()
        let cache = CacheClock().cache()
        let client = makeCachingClient(server, cache) { $0.sealing = [Sealing()] }
        let response = try await client.request(request: makeRequest())
        #expect(response.cacheStatus?.detail == "sealed")
        let entries = try await cache.storage.allEntries()
        #expect(entries.isEmpty)
    }

    @Test func `A client with sealing does not receive the response of another client`() async throws {
        let server = echo()
        let cache = CacheClock().cache()
        _ = try await makeCachingClient(server, cache).request(request: makeRequest())
        let sealing = makeCachingClient(server, cache) { $0.sealing = [Sealing()] }
        #expect(try await sealing.request(request: makeRequest()).cacheStatus?.forward == .uriMiss)
    }

    @Test func `A client with another minimum version of TLS has a partition of its own`() {
        var configuration = HttpClientConfiguration()
        let other = CachePartition(CacheClock().cache(), configuration)
        configuration.transportConfiguration.security.minimumVersion = .tls13
        var partition = CachePartition(CacheClock().cache(), configuration)
        partition.digestKey = other.digestKey
        #expect(other.usesShared)
        #expect(!partition.usesShared)
        #expect(partition.digest(of: [:]) != other.digest(of: [:]))
    }

    @Test func `A request that does not receive the client's certificate has the partition of a client without one`() {
        var configuration = HttpClientConfiguration()
        let other = CachePartition(CacheClock().cache(), configuration)
        let file = URL(fileURLWithPath: "/nonexistent/client.pem")
        configuration.transportConfiguration.security.clientIdentity = TransportSecurity.ClientIdentity(
            certificateFile: file,
            keyFile: file
        )
        var partition = CachePartition(CacheClock().cache(), configuration)
        partition.digestKey = other.digestKey
        #expect(partition.digest(of: [:]) != other.digest(of: [:]))
        #expect(partition.digest(of: [:], withholdingIdentity: true) == other.digest(of: [:]))
    }

    @Test func `A client that does not verify servers has a partition of its own`() {
        var configuration = HttpClientConfiguration()
        let other = CachePartition(CacheClock().cache(), configuration)
        configuration.transportConfiguration.security.acceptsUnverifiedServers = true
        var partition = CachePartition(CacheClock().cache(), configuration)
        partition.digestKey = other.digestKey
        #expect(!partition.usesShared)
        #expect(partition.digest(of: [:]) != other.digest(of: [:]))
    }

    @Test func `A client with pins shares responses only with clients that have the same pins`() throws {
        let digestKey = CacheDigest.makeKey()
        func partition(_ pins: [String: String]) throws -> CachePartition {
            var configuration = HttpClientConfiguration()
            for (host, key) in pins { try configuration.transportConfiguration.security.pins.pin(host, to: [key]) }
            var partition = CachePartition(CacheClock().cache(), configuration)
            partition.digestKey = digestKey
            return partition
        }
        let first = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let second = "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
        let unpinned = try partition([:])
        let pinned = try partition(["api.example.com": first])
        let same = try partition(["api.example.com": first])
        let otherKey = try partition(["api.example.com": second])
        let otherHost = try partition(["www.example.com": first])
        #expect(unpinned.usesShared)
        #expect(!pinned.usesShared)
        #expect(same.digest(of: [:]) == pinned.digest(of: [:]))
        let digests = [unpinned, pinned, otherKey, otherHost].map { $0.digest(of: [:]) }
        #expect(Set(digests).count == 4)
    }

    @Test(arguments: [
        "X-Sid", "X-Ticket", "X-Auth-User", "X-User-Id", "XUserName", "X-Tenant", "X-Account",
        "X-Forwarded-Client-Cert",
        "Act-As", "X_Auth", "X-Remote-User", "X-Customer-Number",
    ])
    func `Requests whose own fields name other users do not share responses, even without Vary`(name: String)
        async throws
    {
        let server = MockTransport { request in
            MockResponse(headers: [.cacheControl: "max-age=60"], body: Data((request.header(name) ?? "none").utf8))
        }
        let client = makeCachingClient(server)
        for value in ["alice", "bob", "alice"] {
            let response = try await client.request(
                request: HttpRequest("GET", "https://api.example.com/", ["\(name): \(value)"])
            )
            #expect(response.bodyAsString() == value)
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        "X-Request-Id", "Accept-Language", "User-Agent", "Accept", "traceparent", "X-Residence", "Priority",
    ])
    func `Fields that name no user do not separate responses`(name: String) async throws {
        let server = MockTransport { _ in MockResponse(headers: [.cacheControl: "max-age=60"]) }
        let client = makeCachingClient(server)
        for value in ["one", "two"] {
            _ = try await client.request(request: HttpRequest("GET", "https://api.example.com/", ["\(name): \(value)"]))
        }
        #expect(server.requests.count == 1)
    }

    @Test func `The contents of certificates and authorities separate clients, not their paths`() async throws {
        let digestKey = CacheDigest.makeKey()
        func digest(_ change: (inout TransportSecurity) throws -> Void) throws -> String {
            var configuration = HttpClientConfiguration()
            try change(&configuration.transportConfiguration.security)
            var partition = CachePartition(CacheClock().cache(), configuration)
            partition.digestKey = digestKey
            return partition.digest(of: [:])
        }
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("a.pem")
            let copy = folder.appendingPathComponent("b.pem")
            let kinds: [(URL) throws -> String] = [
                { url in try digest { $0.clientIdentity = .init(certificateFile: url, keyFile: url) } },
                { url in
                    try digest { security in
                        security.clientIdentities[try HostPattern("*.example.com")] = .init(pkcs12File: url)
                    }
                },
                { url in try digest { $0.trustRoots = .file(url) } },
            ]
            for kind in kinds {
                for url in [file, copy] { try Data("alice".utf8).write(to: url) }
                let first = try kind(file)
                #expect(try kind(file) == first)
                #expect(try kind(copy) == first)
                try Data("bob".utf8).write(to: file)
                #expect(try kind(file) != first)
                for unreadable in [folder, folder.appendingPathComponent("none")] {
                    #expect(try kind(unreadable) != kind(unreadable))
                }
            }
            let roots = try digest { $0.trustRoots = .file(copy) }
            #expect(try digest { $0.trustRoots = .pem("alice") } == roots)
        }
    }

    @Test func `A pipe with a certificate is left to the transport`() async throws {
        try await withTemporaryDirectory { folder in
            let pipe = folder.appendingPathComponent("pipe")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            var configuration = HttpClientConfiguration()
            configuration.transportConfiguration.security.trustRoots = .file(pipe)
            // Opening the pipe would block.
            #expect(!CachePartition(CacheClock().cache(), configuration).usesShared)
        }
    }

    @Test func `A storage receives no secrets`() async throws {
        let server = MockTransport { _ in
            MockResponse(
                headers: [.cacheControl: "max-age=60", .setCookie: "session=s3cr3t", .vary: "Authorization, Cookie"],
                body: Data("body".utf8)
            )
        }
        let storage = MemoryCacheStorage()
        let client = makeCachingClient(server, HttpCache(storage: storage, user: nil))
        for (header, value) in [("Authorization", "Bearer s3cr3t"), ("Cookie", "a=s3cr3t"), ("X-API-Key", "s3cr3t")] {
            let response = try await client.request { request in
                request.url = "https://api.example.com/?access_token=s3cr3t"
                request.setHeader(name: header, value: value)
            }
            #expect(response.cacheStatus?.isStored == true)
        }
        let entries = await storage.allEntries()
        #expect(entries.count == 3)
        for entry in entries {
            #expect(!String(decoding: try JSONEncoder().encode(entry.head), as: UTF8.self).contains("s3cr3t"))
            #expect(!"\(entry)".contains("s3cr3t"))
            #expect(entry.key.partition.count == 64)
        }
    }

    @Test func `Requests that the SDK sends itself pass the cache`() async throws {
        let server = echo()
        let client = makeCachingClient(server)
        for _ in 0..<2 {
            let response = try await client.request { request in
                request.url = "https://api.example.com/"
                request.action = Action("START_AUTHENTICATE")
            }
            #expect(response.cacheStatus?.detail == "action")
        }
        #expect(server.requests.count == 2)
    }
}
