import Foundation
import Sallyport
import SallyportResource
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MultipartRequestTests {
    private static func request(
        method: HTTPMethod = .post,
        parameters: [String: JsonValue]? = nil,
        _ parts: [MultipartData]
    ) -> ResourceRequest {
        ResourceRequestFactory.makeMultipartResourceRequest(
            path: "uploads",
            method: method,
            parameters: parameters,
            multipartData: parts
        )
    }

    @Test func `Parameters, data and files are parts of one form`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "film.bin")
            let film = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try film.write(to: file)
            let server = try ResourceServer()
            let photo = MultipartData(
                data: Data([0xFF, 0xD8]),
                name: "photo",
                fileName: "me.jpg",
                mimeType: "image/jpeg"
            )
            let request = Self.request(
                parameters: ["album": "été", "tags": ["a", "b"]],
                [photo, MultipartData(file: file, name: "film"), MultipartData(data: Data("text".utf8), name: "note")]
            )
            _ = try await server.client().deviceClient.sendUnauthenticatedRequest(request)

            let received = try #require(server.resourceRequests.first)
            let type = try #require(received.header("Content-Type"))
            #expect(type.hasPrefix("multipart/form-data; boundary="))
            let reader = try MultipartReader(ResponseBody(received.body), contentType: type)
            var parts: [String] = []
            for try await part in reader {
                let body = try await part.body.collect(upTo: 1 << 20)
                let known = [film: "film", Data([0xFF, 0xD8]): "photo"]
                let text = known[body] ?? String(decoding: body, as: UTF8.self)
                parts.append("\(part.name ?? "") \(part.filename ?? "-") \(part.contentType) \(text)")
            }
            #expect(
                parts == [
                    "album - text/plain été", "tags - text/plain a", "tags - text/plain b",
                    "photo me.jpg image/jpeg photo", "film film.bin application/octet-stream film",
                    "note - text/plain text",
                ]
            )
        }
    }

    @Test func `Only POST is allowed for a multipart request`() async throws {
        let server = try ResourceServer()
        for method in HTTPMethod.allCases where method != .post {
            let request = Self.request(method: method, [MultipartData(data: Data(), name: "a")])
            await expectError(\ResourceError.reason, .invalidMethod) {
                try await server.client().deviceClient.sendUnauthenticatedRequest(request)
            }
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `The content type of a multipart request cannot be set`() async throws {
        let server = try ResourceServer()
        let request = Self.request([MultipartData(data: Data(), name: "a")]).mutableCopy()
        request.headers = ["Content-Type": "text/plain"]
        let sent = request.copy()
        await expectError(\ResourceError.reason, .invalidHeaders) {
            try await server.client().deviceClient.sendUnauthenticatedRequest(sent)
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `The encoding of parameters is ignored`() async throws {
        let server = try ResourceServer()
        let request = Self.request(parameters: ["a": 1], [MultipartData(data: Data(), name: "b")]).mutableCopy()
        request.parametersEncoding = .formURL
        let echo = try Echo(await server.client().deviceClient.sendUnauthenticatedRequest(request.copy()))
        #expect(echo.headers["content-type"]?.hasPrefix("multipart/form-data") == true)
        #expect(echo.text.contains("name=\"a\"\r\n\r\n1\r\n"))
    }

    @Test func `A form without parts and fields, with a body as well, or with a missing file is refused`() async throws
    {
        let server = try ResourceServer()
        let both = Self.request([MultipartData(data: Data(), name: "a")]).mutableCopy()
        both.body = Data("x".utf8)
        let missing = MultipartData(file: URL(fileURLWithPath: "/nonexistent/film.bin"), name: "film")
        for request in [Self.request([]), both.copy(), Self.request([missing])] {
            await expectError(\ResourceError.reason, .invalidRequest) {
                try await server.client().deviceClient.sendUnauthenticatedRequest(request)
            }
        }
        #expect(server.transport.requests.isEmpty)
    }
}
