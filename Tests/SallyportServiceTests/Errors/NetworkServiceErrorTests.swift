import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct NetworkServiceErrorTests {
    private func error(
        _ response: MockResponse,
        validation: ResponseValidation? = nil
    ) async throws -> NetworkServiceError {
        let service = try service(response).service
        return try #require(await failure(of: Get(User.self, validation: validation), by: service))
    }

    @Test(arguments: [
        (#"{"status": {"message": "No such user.", "code": "E4"}}"#, "No such user.", "E4"),
        (#"{"status": {"message": "No such user.", "code": 4}}"#, "No such user.", "4"),
        (#"{"type": "about:blank", "title": "Gone", "status": 410, "detail": "It left."}"#, "It left.", nil),
        (#"{"title": "Gone", "status": 410}"#, "Gone", nil),
        (#"{"error": "invalid_grant", "error_description": "Expired."}"#, "Expired.", "invalid_grant"),
        (#"{"error": "invalid_grant"}"#, "invalid_grant", nil),
        (#"{"error": {"message": "No.", "code": 7}}"#, "No.", "7"),
        (#"{"message": "Not here.", "code": "x"}"#, "Not here.", "x"),
        (#"{"error": true, "reason": "No."}"#, "No.", nil),
        (#"{"error": false, "code": true, "message": "No."}"#, "No.", nil),
        (#"{"message": 1, "code": 0}"#, "1", "0"),
        (#"{"errors": []}"#, nil, nil),
        ("[1]", nil, nil), ("<html>", nil, nil), ("<title>Gone</title>", "Gone", nil), ("", nil, nil),
    ])
    func `An error status throws an error with the server's message and code, and with the response`(
        body: String,
        message: String?,
        code: String?
    )
        async throws
    {
        let error = try await error(.json(body, status: 422))
        guard case .refused(let info) = error else { Issue.record("\(error)"); return }
        #expect(info.message == message)
        #expect(info.code == code)
        #expect(info.status?.code == 422)
        #expect(info.response?.bodyAsString() == body)
        #expect(
            error.description.hasPrefix("GET https://api.example.com/v1/thing: the server answered 422")
        )
        #expect(message == nil || error.description.contains("\"\(message ?? "")\""))
    }

    @Test(arguments: [
        MockResponse.json(#"{"message": "Unknown: staple/horse7 or c3RhcGxlL2hvcnNlNw==."}"#, status: 403),
        .json(#"{"staple/horse7": "staple%2Fhorse7"}"#), .json(#"["staple/horse7 is unknown"]"#),
        .json("[staple/horse7"), .text("<p>staple/horse7</p>"), .json(#"{"id": "staple/horse7", "name": "Ada"}"#),
    ])
    func `A secret that the request sent is masked in errors, and the reason is shown`(response: MockResponse)
        async throws
    {
        let service = try service(response) { $0.headers = ["X-Api-Key": "staple/horse7"] }.service
        let error = try #require(await failure(of: Get(User.self), by: service))
        #expect(!"\(error)".contains("horse7") && !"\(error)".contains("c3RhcGxl"), "\(error)")
        #expect("\(error)".contains(": the server answered 403") || "\(error)".contains(": the response "), "\(error)")
    }

    @Test func `An error status can be caught as .refused`() async throws {
        let service = try service(.json(#"{"message": "No."}"#, status: 400)).service
        var told: String?
        do throws(NetworkServiceError) {
            try await service.call(Get(User.self))
        } catch .refused(let info) {
            told = info.message
        } catch {
            Issue.record("\(error)")
        }
        #expect(told == "No.")
    }

    @Test func `The error body of an API can be decoded from the error`() async throws {
        struct Problem: Decodable { var fields: [String] }
        let error = try await error(.json(#"{"fields": ["name"]}"#, status: 400))
        #expect(try error.info.decode(Problem.self).fields == ["name"])
        expectError(\NetworkError.kind, "invalidResponse") { try NetworkServiceErrorInfo("x").decode(Problem.self) }
    }

    @Test func `The server's message is limited in length, and secrets in it are masked`() async throws {
        let long = String(repeating: "x", count: 5000)
        #expect(try await error(.json(#"{"message": "\#(long)"}"#, status: 400)).info.message?.count == 1000)
        let error = try await error(.json(#"{"message": "bad?token=abc123 line\nbreak"}"#, status: 400))
        #expect(!error.description.contains("abc123"))
        #expect(!error.description.contains("\n"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("abc123"))

        let body = #"{"status": {"message": "\#(long)\n"}}"#
        let service = try service(.json(body)) { $0.responseFormat = .enveloped() }.service
        let missing = try #require(await failure(of: Get(User.self), by: service))
        #expect(missing.info.message?.count == 1000)
    }

    @Test(arguments: [(200, true), (201, true), (299, true), (300, false), (399, false)])
    func `Only the statuses from 200 to 299 are a success by default`(status: Int, isSuccess: Bool) async throws {
        let (service, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#, status: status))
        let error = await failure(of: Get(User.self), by: service)
        #expect((error == nil) == isSuccess)
        guard let error else { return }
        guard case .refused = error else { Issue.record("\(error)"); return }
    }

    @Test(arguments: [MockResponse.status(503), .fail(.connectionLost("gone"))])
    func `A failed call is not repeated`(response: MockResponse) async throws {
        let (service, server) = try service(response)
        #expect(await failure(of: Get(User.self), by: service) != nil)
        #expect(server.requests.count == 1)
    }

    @Test func `The statuses that count as success can be configured`() async throws {
        let error = try await error(.json("{}", status: 202), validation: ResponseValidation(statuses: 200..<201))
        guard case .refused = error else { Issue.record("\(error)"); return }
        let (service, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#, status: 404)) { configuration in
            configuration.validation.statuses = 200..<500
        }
        #expect(try await service.call(Get(User.self)).name == "Ada")
    }

    @Test(arguments: [
        ("application/json", true), ("APPLICATION/JSON; charset=utf-8", true), ("application/hal+json", true),
        ("text/json", true), ("text/html", false), ("application/jsonp", false), ("application/xml", false),
        ("json", false), ("*/*", false),
    ])
    func `A response with another content type is refused, and the error states the type`(type: String, isAllowed: Bool)
        async throws
    {
        var response = MockResponse.json(#"{"id": 1, "name": "Ada"}"#)
        response.headers[.contentType] = type
        let service = try service(response).service
        let error = await failure(of: Get(User.self), by: service)
        #expect((error == nil) == isAllowed)
        if let error {
            guard case .unexpectedContentType(let info) = error else { Issue.record("\(error)"); return }
            #expect(info.reason.hasPrefix("the response is \(type), and not one of application/json"))
            #expect(info.response?.body?.isEmpty == false)
            #expect(info.advice == "inspect the body in the error's response, or allow the type in the validation")
        }
    }

    @Test func `The accepted content types can be configured, and a missing type is accepted`() async throws {
        var response = MockResponse.json(#"{"id": 1, "name": "Ada"}"#)
        response.headers[.contentType] = "text/plain"
        let service = try service(response).service
        for types in [["text/*"], ["*"], ["*/*"], ["application/json", "TEXT/Plain"], []] {
            let validation = ResponseValidation(contentTypes: types)
            #expect(try await service.call(Get(User.self, validation: validation)).name == "Ada")
        }
        response.headers[.contentType] = nil
        #expect(try await SallyportServiceTests.service(response).service.call(Get(User.self)).name == "Ada")
    }

    @Test func `An empty response is an error unless the response type is optional`() async throws {
        let error = try await error(.status(204))
        guard case .missingBody(let info) = error else { Issue.record("\(error)"); return }
        #expect(info.reason == "the response is empty")
        let service = try service(.status(204)).service
        #expect(try await service.call(Get(User?.self)) == nil)
    }

    @Test func `A call without a response throws an error with the underlying network error`() async throws {
        let error = try await error(.fail(.connectionLost("the connection broke")))
        guard case .callFailed(let info) = error, case .connectionLost = info.networkError else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains("the connection broke"))
        #expect(error.localizedDescription == error.description)
    }
}
