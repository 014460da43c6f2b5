import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct EnvelopeTests {
    private static let whole = """
        {"status": {"message": "OK", "code": "0", "responseTimeStamp": "2025-01-01T00:00:00Z"},
         "body": {"id": 1, "name": "Ada"}}
        """

    @Test func `A response can have the status and the payload`() async throws {
        struct Whole: Decodable, Sendable {
            struct Status: Decodable { var message: String, code: String, responseTimeStamp: String }
            var status: Status
            var body: User
        }
        let (service, _) = try service(.json(Self.whole)) { $0.responseFormat = .enveloped() }
        let whole = try await service.call(Get(Whole.self, .plain))
        #expect(whole.body == User(id: 1, name: "Ada"))
        #expect(whole.status.responseTimeStamp == "2025-01-01T00:00:00Z")
    }

    @Test func `The endpoint or the configuration can select the body of the envelope`() async throws {
        let (plain, _) = try service(.json(Self.whole))
        #expect(try await plain.call(Get(User.self, .enveloped())).name == "Ada")
        let (enveloped, _) = try service(.json(Self.whole)) { $0.responseFormat = .enveloped() }
        #expect(try await enveloped.call(Get(User.self)).name == "Ada")
        let (bare, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#)) { $0.responseFormat = .enveloped() }
        #expect(try await bare.call(Get(User.self, .plain)).name == "Ada")
    }

    @Test(arguments: [
        (#""E-7""#, "E-7"), ("42", "42"), ("4.5", "4.5"), ("true", "true"), ("null", nil), (#""""#, ""),
        ("9007199254740993", "9007199254740993"),
    ])
    func `The status code of an envelope can be text or a number`(json: String, code: String?) async throws {
        let (service, _) = try service(.json(#"{"status": {"code": \#(json), "message": 7}}"#))
        let error = await failure(of: Get(User.self, .enveloped()), by: service)
        #expect(error?.kind == "missingBody")
        #expect(error?.info.code == code)
        #expect(error?.info.message == "7")
    }

    @Test func `The member names of the envelope can be configured, and the status can be beside the body`()
        async throws
    {
        func configure(_ configuration: inout ServiceClientConfiguration) {
            configuration.responseFormat = .enveloped(payload: "user_data", status: "meta", message: "text", code: "nr")
            configuration.decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let status = #""meta": {"text": "Fine", "nr": 3}"#
        let (full, _) = try service(.json(#"{\#(status), "user_data": {"id": 1, "name": "Ada"}}"#), configure)
        #expect(try await full.call(Get(User.self)).name == "Ada")
        for code in [200, 409] {
            let (empty, _) = try service(.json("{\(status)}", status: code), configure)
            let error = await failure(of: Get(User.self), by: empty)
            #expect(error?.info.message == "Fine")
            #expect(error?.info.code == "3")
        }

        let beside = ResponseFormat.enveloped(payload: "data", status: nil)
        let (flat, _) = try service(.json(#"{"message": "Fine", "code": 3, "data": {"id": 1, "name": "Ada"}}"#))
        #expect(try await flat.call(Get(User.self, beside)).name == "Ada")
        let (failed, _) = try service(.json(#"{"message": "Fine", "code": 3}"#))
        #expect(await failure(of: Get(User.self, beside), by: failed)?.info.message == "Fine")
    }

    @Test func `An envelope without a body throws an error with the message of its status`() async throws {
        let response = MockResponse.json(#"{"status": {"message": "Closed for today.", "code": 17}}"#)
        let (service, _) = try service(response) { $0.responseFormat = .enveloped() }
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
        let (service, _) = try service(.json(#"{"id": 1, "name": "Ada"}"#)) { $0.responseFormat = .enveloped() }
        let error = try #require(await failure(of: Get(User.self), by: service))
        guard case .undecodable(let info) = error else { Issue.record("\(error)"); return }
        #expect(info.decoding?.expected == "a member \"body\"")
        #expect(info.decoding?.excerpt == #"{"id":1,"name":"Ada"}"#)
    }

    @Test func `The path of a decoding error begins at the top of the envelope`() async throws {
        let (service, _) = try service(.json(#"{"status": {}, "body": [{"id": 1, "name": 5}]}"#)) { configuration in
            configuration.responseFormat = .enveloped()
        }
        let error = try #require(await failure(of: Get([User].self), by: service))
        #expect(error.info.decoding?.path == "body[0].name")
        #expect(error.info.decoding?.expected == "String")
        #expect(error.info.decoding?.found == "a number")
    }
}
