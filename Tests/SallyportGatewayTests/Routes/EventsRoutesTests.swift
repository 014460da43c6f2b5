import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct EventsRoutesTests {
    @Test func `A batch of numbered events is sent with the retry delay`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/events?count=5&batch=2&retry=20", method: .get)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/event-stream")
            #expect(
                response.text == """
                    : events 1...2 of 5
                    retry: 20

                    id: 1
                    event: tick
                    data: {"number":1,"of":5}

                    id: 2
                    event: tick
                    data: {"number":2,"of":5}


                    """
            )
        }
    }

    @Test(arguments: [("2", [3, 4]), ("4", [5]), ("5", []), ("9", [])])
    func `The stream resumes after Last-Event-ID and ends with 204`(last: String, numbers: [Int]) async throws {
        try await withRouter { client in
            let headers: HTTPFields = [try #require(HTTPField.Name("Last-Event-ID")): last]
            let response = try await client.execute(uri: "/events?count=5&batch=2", method: .get, headers: headers)
            #expect(response.status == (numbers.isEmpty ? .noContent : .ok))
            let ids = response.text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { Int($0.dropFirst(4)) }
            #expect(ids == numbers)
        }
    }

    @Test(arguments: ["count=-1", "count=100001", "batch=0", "batch=3&interval=20001", "retry=x"])
    func `Invalid parameters of the query are refused`(query: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/events?" + query, method: .get)
            #expect(response.status == .badRequest)
        }
    }

    @Test(arguments: ["x", "-1", "1.5"])
    func `An invalid Last-Event-ID is refused`(id: String) async throws {
        try await withRouter { client in
            let headers: HTTPFields = [try #require(HTTPField.Name("Last-Event-ID")): id]
            let response = try await client.execute(uri: "/events", method: .get, headers: headers)
            #expect(response.status == .badRequest)
        }
    }
}
