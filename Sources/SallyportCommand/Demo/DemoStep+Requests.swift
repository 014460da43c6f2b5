import Foundation
import Sallyport

extension DemoStep {
    static let get = DemoStep(title: "GET with a query") { stage in
        let response = try await stage.client.request { request in
            request.url = stage.baseURL + "/echo"
            request.setParameter(name: "greeting", value: "hello & good-bye")
        }
        let echo = try response.decode(DemoEcho.self)
        try require(response.status == .ok && echo.method == "GET", "a GET to arrive")
        try require(echo.query.first?.value == "hello & good-bye", "the parameter to arrive unchanged")
        return "\(echo.target) arrived over \(response.connection.tlsVersion ?? "TLS")"
    }

    static let postOfJson = DemoStep(title: "POST with JSON") { stage in
        struct User: Codable, Equatable {
            let name: String
            let age: Int
        }
        let user = User(name: "Ada Lovelace", age: 36)
        let response = try await stage.client.request { request in
            request.url = stage.baseURL + "/echo"
            request.post(json: user)
        }
        let echo = try response.decode(DemoEcho.self)
        let received = try JSONDecoder().decode(User.self, from: Data(echo.body.utf8))
        try require(echo.method == "POST" && received == user, "the same user to arrive")
        return "\(echo.body) as \(echo.headers["content-type"]?.first ?? "")"
    }

    static let form = DemoStep(title: "Form") { stage in
        let response = try await stage.client.request { request in
            request.url = stage.baseURL + "/echo"
            request.form(parameters: [("sum", "1 + 1"), ("drink", "café")])
        }
        let echo = try response.decode(DemoEcho.self)
        let isForm = echo.headers["content-type"] == [NetworkConstants.contentTypeForm]
        try require(isForm && echo.body == "sum=1+%2B+1&drink=caf%C3%A9", "an escaped form to arrive")
        return echo.body
    }

    static let interceptor = DemoStep(title: "Interceptor adding a header") { stage in
        let configure = { (config: inout HttpClientConfiguration) in
            config.onRequest { request in request.setHeader(name: "X-Trace", value: "demo-1") }
        }
        return try await stage.withClient(configure) { client in
            let response = try await client.request { request in request.url = stage.baseURL + "/echo" }
            let echo = try response.decode(DemoEcho.self)
            try require(echo.headers["x-trace"] == ["demo-1"], "the header X-Trace to arrive")
            return "X-Trace: demo-1 arrived, although the call did not set it"
        }
    }
}
