import Crypto
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct UploadRoutesTests {
    private struct Upload: Decodable {
        let length: Int
        let sha256: String
    }

    @Test(arguments: [0, 1, 1_000_000])
    func `The response contains the length and SHA-256 of the body`(count: Int) async throws {
        try await withRouter { client in
            let body = PseudoRandomBytes(seed: 1).buffer(0..<count)
            for method in [HTTPRequest.Method.post, .put] {
                let upload = try await client.execute(uri: "/upload", method: method, body: body).decode(Upload.self)
                #expect(upload.length == count)
                #expect(upload.sha256 == SHA256.hash(data: body.readableBytesView).hexadecimal)
            }
        }
    }

    @Test func `A digest is written as hexadecimal with leading zeros`() {
        let empty = SHA256.hash(data: [UInt8]()).hexadecimal
        #expect(empty == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `A declared length of more than 8 GiB is refused`() async throws {
        try await withRouter { client in
            let headers: HTTPFields = [.contentLength: "8589934593"]
            let response = try await client.execute(uri: "/upload", method: .post, headers: headers)
            #expect(response.status == .contentTooLarge)
        }
    }
}
