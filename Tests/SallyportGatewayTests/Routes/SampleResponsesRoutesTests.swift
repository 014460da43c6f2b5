import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct SampleResponsesRoutesTests {
    private func object(_ response: TestResponse) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView)) as? NSDictionary)
    }

    @Test func `The test route returns the default model, or the values of the query`() async throws {
        try await withRouter { client in
            let plain = try await client.execute(uri: "/api/test", method: .get)
            #expect(
                try object(plain)["body"] as? NSDictionary == ["id": 1, "userId": 1, "title": "Title", "body": "Body"]
            )
            let changed = try await client.execute(uri: "/api/test?id=7&title=A%20B&envelope=false", method: .get)
            #expect(try object(changed) == ["id": 7, "userId": 1, "title": "A B", "body": "Body"])
        }
    }

    @Test func `The notice route returns an envelope without a body`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/notice", method: .get)
            #expect(response.status == .ok)
            let answer = try object(response)
            #expect(answer["body"] == nil)
            #expect((answer["status"] as? NSDictionary)?["message"] as? String == "Closed for today.")
        }
    }

    @Test(arguments: [("E-7", "\"E-7\""), ("42", "42")])
    func `The failures route returns an envelope whose code is a string or a number`(code: String, json: String)
        async throws
    {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/failures/503?code=\(code)", method: .get)
            #expect(response.status.code == 503)
            #expect(response.text.contains("\"code\" : \(json)"))
        }
    }

    @Test func `The problems route returns problem details`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/problems/409", method: .get)
            #expect(response.status == .conflict)
            #expect(response.headers[.contentType] == "application/problem+json")
            #expect(try object(response) == ["title": "Failure", "status": 409, "detail": "It did not work."])
        }
    }
}
