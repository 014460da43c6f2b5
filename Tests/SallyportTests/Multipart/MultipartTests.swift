import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MultipartTests {
    private func temporaryFile(_ bytes: Data, name: String = "photo.jpg") throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try bytes.write(to: file)
        return file
    }

    private func remove(_ file: URL) {
        try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }

    @Test func `Fields and data parts are written in order`() throws {
        var form = MultipartForm()
        form.append(name: "title", value: "Ünï")
        form.append(name: "data", data: Data("{}".utf8), filename: "a.json")
        form.append(name: "note", value: "x", contentType: "text/markdown")
        let boundary = "--" + form.boundary
        let lines = [
            boundary, "Content-Disposition: form-data; name=\"title\"", "", "Ünï",
            boundary, "Content-Disposition: form-data; name=\"data\"; filename=\"a.json\"",
            "Content-Type: application/json", "", "{}",
            boundary, "Content-Disposition: form-data; name=\"note\"", "Content-Type: text/markdown", "", "x",
            boundary + "--", "",
        ]
        #expect(try form.body().text == lines.joined(separator: "\r\n"))
    }

    @Test func `Quotation marks and line breaks in names are percent-encoded`() throws {
        var form = MultipartForm()
        form.append(name: "a\"b\r\nX: y", data: Data(), filename: "c\"\r\n.txt")
        let text = try #require(try form.body().text)
        #expect(text.contains("name=\"a%22b%0D%0AX: y\"; filename=\"c%22%0D%0A.txt\"\r\n"))
    }

    @Test func `A content type with a line break is refused`() throws {
        let request = makeRequest { request in
            var form = MultipartForm()
            form.append(name: "a", value: "b", contentType: "text/plain\r\nX: y")
            request.multipart(form)
        }
        #expect(refusal(of: request).contains("the content type of the part \"a\""))
    }

    @Test func `Each form has a different boundary of allowed length`() {
        #expect(MultipartForm().boundary != MultipartForm().boundary)
        #expect(MultipartForm().boundary.utf8.count <= 70)
    }

    @Test func `A form with a file is sent with its length and can be sent repeatedly`() async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try temporaryFile(content)
        defer { remove(file) }
        let (client, server) = makeClient()
        let request = makeRequest { request in
            var form = MultipartForm()
            form.append(name: "title", value: "A photo")
            form.append(name: "photo", file: file)
            request.multipart(form)
        }
        guard case .stream(let stream) = request.body else { return #expect(Bool(false), "not a stream") }
        #expect(stream.isReplayable)
        for _ in 0..<2 { _ = try await client.request(request: request) }
        let bodies = server.requests.map(\.body)
        #expect(bodies.first == bodies.last)
        #expect(bodies.map { Int64($0.count) } == [stream.length, stream.length])
        #expect(bodies.first?.range(of: content) != nil)
        let sent = try #require(server.requests.first)
        #expect(sent.method == .post)
        #expect(try #require(sent.header("Content-Type")).hasPrefix("multipart/form-data; boundary=sallyport-"))
        #expect(bodies.first?.range(of: Data("filename=\"photo.jpg\"\r\nContent-Type: image/jpeg".utf8)) != nil)
    }

    @Test(arguments: ["/nowhere/at/all.txt", "/tmp"])
    func `A file that cannot be read is refused with its path before anything is sent`(path: String) async throws {
        let (client, server) = makeClient()
        let error = await #expect(throws: NetworkError.self) {
            try await client.request { request in
                request.url = "https://example.com/"
                var form = MultipartForm()
                form.append(name: "a", file: URL(fileURLWithPath: path))
                request.multipart(form)
            }
        }
        #expect("\(error, default: "")".contains("the file \(path) of the part \"a\" cannot be read"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["short", "a little longer than before"])
    func `A file whose length changed since it was added fails the call`(content: String) async throws {
        let file = try temporaryFile(Data("as it was".utf8))
        defer { remove(file) }
        let request = makeRequest { request in
            var form = MultipartForm()
            form.append(name: "a", file: file)
            request.multipart(form)
        }
        try Data(content.utf8).write(to: file)
        let error = await #expect(throws: NetworkError.self) { try await makeClient().client.request(request: request) }
        #expect("\(error, default: "")".contains("no longer has the declared length of 9 bytes"))
    }

    @Test(arguments: [
        ("a.png", "image/png"), ("A.JPG", "image/jpeg"), ("/x.y/readme", "application/octet-stream"),
        ("a.tar.gz", "application/gzip"), ("a.unknown", "application/octet-stream"), ("", "application/octet-stream"),
        ("dir.txt/a.json", "application/json"), (".", "application/octet-stream"),
    ])
    func `The media type of a file is derived from its name extension`(name: String, type: String) {
        #expect(MediaType.ofFile(named: name) == type)
    }
}
