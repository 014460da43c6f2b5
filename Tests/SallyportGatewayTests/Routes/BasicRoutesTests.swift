import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct BasicRoutesTests {
    @Test(arguments: [("ann", "secret"), ("ü", "p%C3%A4ss:w%20rd"), ("a", "b")])
    func `The right user name and password are accepted`(user: String, password: String) async throws {
        try await withRouter { client in
            let path = "/basic/\(user.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)!)/\(password)"
            let credentials = Data("\(user):\(password.removingPercentEncoding!)".utf8).base64EncodedString()
            for scheme in ["Basic", "bAsIc"] {
                let headers: HTTPFields = [.authorization: "\(scheme) \(credentials)"]
                let response = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(response.status == .ok)
                #expect(response.text.contains("\"user\" : \"\(user)\""))
            }
        }
    }

    @Test(arguments: [nil, "", "Basic", "Basic !!!", "Bearer YW5uOnNlY3JldA==", "Basic YW5uOnNlY3JldDI="])
    func `Any other credentials are refused with a Basic challenge`(authorization: String?) async throws {
        try await withRouter { client in
            var headers = HTTPFields()
            headers[.authorization] = authorization
            let response = try await client.execute(uri: "/basic/ann/secret", method: .get, headers: headers)
            #expect(response.status == .unauthorized)
            #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"sallyport\", charset=\"UTF-8\"")
            #expect(try response.decode(ErrorAnswer.self).error == "Unauthorized")
        }
    }
}
