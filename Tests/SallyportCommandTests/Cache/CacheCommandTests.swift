import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CacheCommandTests {
    private struct Listed: Decodable {
        let url: String
        let status: Int
        let age: Int
        let timeToLive: Int
        let bodyBytes: Int
        let received: Date
        let varyingFields: [String]
    }

    private static func list(_ environment: [String: String]) async throws -> [Listed] {
        let outcome = try await Tool.run(["cache", "list", "--json"], environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode([Listed].self, from: outcome.output)
    }

    @Test func `With --cache, the second request is answered without the server, and -v shows why`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withGateway { base in
                let get = ["get", base + "/bytes/100000", "--cache", "-v"]
                let first = try await Tool.run(get, environment: environment)
                #expect(first.status == 0)
                #expect(first.errors.contains("> GET /bytes/100000"))
                #expect(first.errors.contains("* cache: Sallyport; fwd=uri-miss"), "\(first.errors)")

                let second = try await Tool.run(get, environment: environment)
                #expect(second.status == 0)
                #expect(second.output == first.output && second.output.count == 100_000)
                #expect(!second.errors.contains("> GET"))
                #expect(second.errors.contains("* cache: Sallyport; hit; ttl="), "\(second.errors)")
                #expect(second.errors.contains("< HTTP 200") && second.errors.contains("< Age: "))

                let third = try await Tool.run(get + ["-H", "Cache-Control: no-cache"], environment: environment)
                #expect(third.output == first.output)
                #expect(third.errors.contains("fwd=request; fwd-status=304"), "\(third.errors)")

                let traced = ["get", base + "/bytes/100000", "--cache", "--stages"]
                let fourth = try await Tool.run(traced, environment: environment)
                #expect(fourth.errors.contains("\n= Sallyport; hit; ttl="), "\(fourth.errors)")
            }
            #expect(try folder.names == ["sallyport"])
        }
    }

    @Test func `Commands that begin together with an empty folder lose none of what they store`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withGateway { base in
                func runAll(_ arguments: String...) async throws -> [Int32] {
                    try await withThrowingTaskGroup(of: Int32.self) { group in
                        for number in 1...12 {
                            let get = ["get", "\(base)/bytes/\(number)", "--cache", "--fail"] + arguments
                            group.addTask { try await Tool.run(get, environment: environment).status }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                }
                let stored = try await runAll()
                #expect(stored == Array(repeating: 0, count: 12))
                let hits = try await runAll("-H", "Cache-Control: only-if-cached")
                #expect(hits == Array(repeating: 0, count: 12))
            }
        }
    }

    @Test func `With --cache, a user receives no response to another user whom an own field names`() async throws {
        func answer(_ user: String) -> [ScriptStep] {
            [.receiveHead, .send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\n\(user)")]
        }
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withScriptedServer([answer("alice"), answer("carol")]) { server in
                for user in ["alice", "carol", "alice"] {
                    let get = ["get", "http://\(server.authority)/", "--cache", "-H", "X-Auth-User: \(user)"]
                    let outcome = try await Tool.run(get, environment: environment)
                    #expect(outcome.text == user)
                }
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `Without --cache, nothing is stored or used`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withGateway { base in
                let get = ["get", base + "/bytes/1000", "-v"]
                _ = try await Tool.run(get + ["--cache", "--curl"], environment: environment)
                for _ in 0..<2 {
                    let outcome = try await Tool.run(get, environment: environment)
                    #expect(outcome.errors.contains("> GET") && !outcome.errors.contains("cache:"))
                }
            }
            #expect(try folder.names == [])
        }
    }

    @Test func `Stored responses are listed and removed, all or those of a URL`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withGateway { base in
                for path in ["/bytes/1000", "/bytes/2048?token=s3cret", "/bytes/3000"] {
                    _ = try await Tool.run(["get", base + path, "--cache"], environment: environment)
                }
                let listed = try await Self.list(environment)
                #expect(
                    listed.map(\.url) == ["/bytes/1000", "/bytes/2048?token=***", "/bytes/3000"].map { base + $0 }
                )
                #expect(listed.map(\.bodyBytes) == [1000, 2048, 3000])
                #expect(listed.allSatisfy { $0.status == 200 && $0.timeToLive > 80_000 && $0.age < 1000 })

                let text = try await Tool.run(["cache", "list"], environment: environment).text
                let lines = text.split(separator: "\n")
                #expect(lines.count == 3)
                #expect(lines[1].contains("/bytes/2048?token=***  200  age "), "\(text)")
                #expect(lines[1].contains("  fresh for ") && lines[1].hasSuffix("  2.0 KiB"), "\(text)")

                let url = base + "/bytes/2048?token=s3cret"
                let clear = try await Tool.run(["cache", "clear", url], environment: environment)
                #expect(clear.status == 0 && clear.errors == "1 response was removed.\n", "\(clear.errors)")
                #expect(try await Self.list(environment).map(\.bodyBytes) == [1000, 3000])

                let again = try await Tool.run(["cache", "clear", url], environment: environment)
                #expect(again.status == 0 && again.errors == "0 responses were removed.\n", "\(again.errors)")

                let all = try await Tool.run(["cache", "clear"], environment: environment)
                #expect(all.status == 0 && all.errors == "2 responses were removed.\n", "\(all.errors)")
                #expect(try await Self.list(environment).isEmpty)
            }
            let empty = try await Tool.run(["cache", "list"], environment: environment)
            #expect(empty.status == 0 && empty.text.isEmpty && empty.errors == "No responses are stored.\n")
        }
    }

    @Test func `A cache folder that cannot be used is a warning, and the request is sent`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": try folder.file("file", "")]
            try await withGateway { base in
                let outcome = try await Tool.run(["get", base + "/bytes/1000", "--cache"], environment: environment)
                #expect(outcome.status == 0 && outcome.output.count == 1000)
                #expect(outcome.errors.contains("\(folder.path)/file/sallyport/http"), "\(outcome.errors)")
                #expect(outcome.errors.contains("the request is sent without the cache"))
            }
            let list = try await Tool.run(["cache", "list"], environment: environment)
            #expect(list.status == 23)
            #expect(list.errors.contains("the cache cannot be used"), "\(list.errors)")
        }
    }

    @Test func `An invalid URL is refused, and nothing is removed`() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_CACHE_HOME": folder.path]
            try await withGateway { base in
                _ = try await Tool.run(["get", base + "/bytes/1000", "--cache"], environment: environment)
                let outcome = try await Tool.run(["cache", "clear", "example.com"], environment: environment)
                #expect(outcome.status == 3)
                #expect(outcome.errors.contains("did you mean https://example.com?"), "\(outcome.errors)")
                #expect(try await Self.list(environment).count == 1)
            }
        }
    }
}
