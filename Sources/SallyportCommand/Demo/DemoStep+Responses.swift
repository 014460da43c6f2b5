import Foundation
import Sallyport

extension DemoStep {
    static let cookies = DemoStep(title: "Cookies") { stage in
        struct Cookies: Decodable {
            let cookies: [DemoEcho.Parameter]
        }
        _ = try await stage.client.request { request in request.url = stage.baseURL + "/cookies/set?visit=1&secure" }
        let response = try await stage.client.request { request in request.url = stage.baseURL + "/cookies" }
        let received = try response.decode(Cookies.self).cookies.map { "\($0.name)=\($0.value)" }
        try require(received == ["visit=1"], "the cookie to be sent, not \(received)")
        return "visit=1 was set by a response and sent with the next request"
    }

    static let cache = DemoStep(title: "HTTP cache") { stage in
        let storage = DirectoryCacheStorage(at: stage.folder.appendingPathComponent("cache"))
        return try await stage.withClient({ $0.cache = HttpCache(storage: storage) }) { client in
            let url = stage.baseURL + "/bytes/100000"
            let first = try await client.request { request in request.url = url }
            let second = try await client.request { request in request.url = url }
            let isStored = second.cacheStatus?.isHit == true && second.body == first.body
            try require(isStored, "the stored response, not \(second.cacheStatus?.description ?? "no cache")")
            let third = try await client.request { request in
                request.url = url
                request.setHeader(name: "Cache-Control", value: "no-cache")
            }
            try require(third.cacheStatus?.forwardStatus == 304, "the server to confirm the stored response")
            return "100,000 bytes were used again without a request, and then confirmed by the server with 304"
        }
    }

    static let digest = DemoStep(title: "Digest authentication") { stage in
        let configure = { (config: inout HttpClientConfiguration) in
            config.authentication = [.digest(user: "ada", password: "lovelace", for: stage.baseURL)]
        }
        return try await stage.withClient(configure) { client in
            let response = try await client.request { $0.url = stage.baseURL + "/digest/ada/lovelace" }
            try require(response.status == .ok, "the status 200, not \(response.status)")
            return "the client proved that it has the password without sending it"
        }
    }

    static let refusedRedirect = DemoStep(title: "Redirect, refused by default") { stage in
        let response = try await stage.client.request { request in request.url = stage.baseURL + "/redirect/2" }
        try require(response.status == .found, "the status 302, not \(response.status)")
        return "the response is 302 to \(response.getHeader(name: NetworkConstants.headerLocation) ?? "nowhere")"
    }

    static let followedRedirect = DemoStep(title: "Redirect, followed") { stage in
        try await stage.withClient({ $0.redirects = .follow(limit: 5) }) { client in
            let response = try await client.request { request in request.url = stage.baseURL + "/redirect/2" }
            let echo = try response.decode(DemoEcho.self)
            try require(response.status == .ok && echo.target == "/echo", "to arrive at /echo")
            return "two redirects led to \(response.request.url ?? "")"
        }
    }

    static let download = DemoStep(title: "Streamed download") { stage in
        let expected: Int64 = 64 << 20
        let start = ContinuousClock.now
        let size = try await stage.client.stream { request in
            request.url = stage.baseURL + "/bytes/\(expected)"
        } handle: { response in
            var size: Int64 = 0
            for try await chunk in response.bodyStream { size += Int64(chunk.count) }
            return size
        }
        try require(size == expected, "\(expected) bytes, not \(size)")
        return
            "\(Format.size(size)) at \(Format.rate(size, in: ContinuousClock.now - start)), never completely in memory"
    }
}
