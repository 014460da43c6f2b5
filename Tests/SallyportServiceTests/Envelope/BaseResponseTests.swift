import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BaseResponseTests {
    private static let whole = """
        {"status": {"message": "OK", "code": "0", "responseTimeStamp": "2025-01-01T00:00:00Z"},
         "body": {"id": 1, "name": "Ada"}}
        """

    @Test func `An endpoint can return the complete envelope`() async throws {
        let (service, _) = try service(.json(Self.whole))
        let answer = try await service.call(Get(BaseResponse<User>.self))
        #expect(answer.body == User(id: 1, name: "Ada"))
        let status = ServiceResponseStatus(message: "OK", code: "0", responseTimeStamp: "2025-01-01T00:00:00Z")
        #expect(answer.status == status)
    }

    @Test func `The endpoint or the configuration can select the body of the envelope`() async throws {
        let (plain, _) = try service(.json(Self.whole))
        #expect(try await plain.call(Get(User.self, .enveloped)).name == "Ada")
        let (enveloped, _) = try service(.json(Self.whole)) { $0.responseFormat = .enveloped }
        #expect(try await enveloped.call(Get(User.self)).name == "Ada")
        #expect(try await enveloped.call(Get(BaseResponse<User>.self)).body?.name == "Ada")
        let (bare, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#)) { $0.responseFormat = .enveloped }
        #expect(try await bare.call(Get(User.self, .plain)).name == "Ada")
    }

    @Test(arguments: [
        (#""E-7""#, "E-7"), ("42", "42"), ("4.5", "4.5"), ("true", "true"), ("null", nil), (#""""#, ""),
        ("9007199254740993", "9007199254740993"),
    ])
    func `The status code of an envelope can be text or a number`(json: String, code: String?) async throws {
        let (service, _) = try service(.json(#"{"status": {"code": \#(json), "message": 7}}"#))
        let answer = try await service.call(Get(BaseResponse<User>.self))
        #expect(answer.status?.code == code)
        #expect(answer.status?.message == "7")
        #expect(answer.body == nil)
    }

    @Test func `The member names of the envelope can be configured, and the status can be beside the body`()
        async throws
    {
        let (service, _) = try service(
            .json(#"{"meta": {"text": "Fine", "nr": 3, "server_time": "now"}, "data": {"id": 1, "name": "Ada"}}"#)
        ) { configuration in
            configuration.envelope.status = "meta"
            configuration.envelope.body = "data"
            configuration.envelope.message = "text"
            configuration.envelope.code = "nr"
            configuration.envelope.responseTimeStamp = "server_time"
            configuration.decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let answer = try await service.call(Get(BaseResponse<User>.self))
        let status = ServiceResponseStatus(message: "Fine", code: "3", responseTimeStamp: "now")
        #expect(answer == BaseResponse(status: status, body: User(id: 1, name: "Ada")))

        let (flat, _) = try SallyportServiceTests.service(
            .json(#"{"message": "Fine", "code": 3, "body": {"id": 1, "name": "Ada"}}"#)
        ) { $0.envelope.status = nil }
        let beside = try await flat.call(Get(BaseResponse<User>.self))
        #expect(beside.status?.message == "Fine")
        #expect(beside.body?.name == "Ada")
    }

    @Test func `An envelope without a body throws an error with the message of its status`() async throws {
        let response = MockResponse.json(#"{"status": {"message": "Closed for today.", "code": 17}}"#)
        let (service, _) = try service(response) { $0.responseFormat = .enveloped }
        let error = try #require(await failure(of: Get(User.self), by: service))
        guard case .missingBody(let info) = error else { Issue.record("\(error)"); return }
        #expect(info.message == "Closed for today.")
        #expect(info.code == "17")
        #expect(info.status == .ok)
        #expect(
            error.description
                == "GET https://api.example.com/v1/thing: the response has no \"body\": \"Closed for today.\" (code 17)"
        )
        #expect(try await service.call(Get(User?.self)) == nil)
        try await service.call(Get(NoContent.self))
    }

    @Test func `A response without an envelope is an error that names the missing member`() async throws {
        let (service, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#)) { $0.responseFormat = .enveloped }
        let error = try #require(await failure(of: Get(User.self), by: service))
        guard case .undecodable(let info) = error else { Issue.record("\(error)"); return }
        #expect(info.decoding?.expected == "a member \"body\"")
        #expect(info.decoding?.excerpt == #"{"id":1,"name":"Ada"}"#)
    }

    @Test func `The path of a decoding error begins at the top of the envelope`() async throws {
        let (service, _) = try service(.json(#"{"status": {}, "body": [{"id": 1, "name": 5}]}"#)) { configuration in
            configuration.responseFormat = .enveloped
        }
        let error = try #require(await failure(of: Get([User].self), by: service))
        #expect(error.info.decoding?.path == "body[0].name")
        #expect(error.info.decoding?.expected == "String")
        #expect(error.info.decoding?.found == "a number")
    }
}
