import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TrafficCaptureTests {
    private func archive(_ file: URL) throws -> HttpArchive { try HttpArchive(Data(contentsOf: file)) }

    @Test func `The option --har writes each request and response to a private file, with secrets masked`() async throws
    {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let file = folder.appendingPathComponent("calls.har")
                let outcome = try await Tool.run(
                    "post",
                    base + "/echo?token=s3cret",
                    "--har",
                    file.path,
                    "-u",
                    "ada:s3cret",
                    "--json",
                    #"{"password": "s3cret", "name": "Ada"}"#
                )
                #expect(outcome.status == 0)
                #expect(outcome.text.contains("s3cret"))
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("s3cret"))
                let entry = try #require(try archive(file).entries.first)
                #expect(entry.request.method == "POST")
                #expect(entry.request.postData?.text == #"{"name":"Ada","password":"***"}"#)
                #expect(entry.response.status == 200)
                #expect(entry.serverIPAddress == "127.0.0.1")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["calls.har"])
            }
        }
    }

    @Test func `The file contains each redirect, and the failure of a call`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("calls.har")
            try await withGateway { base in
                _ = try await Tool.run("get", base + "/redirect/2", "--follow", "2", "--har", file.path)
                #expect(try archive(file).entries.map(\.response.status) == [302, 302, 200])
                let failed = try await Tool.run("get", base + "/redirect/2", "--follow", "1", "--har", file.path)
                #expect(failed.status == 47)
                let failure = try archive(file)
                #expect(failure.entries.map(\.response.status) == [302, 302])
                #expect(failure.pages.first?.comment?.contains("redirect") == true)
            }
        }
    }

    @Test(arguments: ["/dev/null", "/no/such/folder/calls.har"])
    func `A file that cannot be written is refused before anything is sent`(path: String) async throws {
        let outcome = try await Tool.run("get", "http://127.0.0.1:1/", "--har", path)
        #expect(outcome.status == 23)
        #expect(outcome.errors.hasPrefix("sallyport: the HAR file \(path) cannot be written: "))
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }

    @Test(arguments: [["get", "URL", "--inspect"], ["inspect", "get", "URL"]])
    func `The page shows the request until the command is interrupted`(words: [String]) async throws {
        try await withGateway { base in
            let tool = try Tool.start(words.map { $0 == "URL" ? base + "/echo" : $0 })
            let errors = try await tool.errors(containing: "Press Control-C to close the page.\n")
            let line = try #require(errors.split(separator: "\n").first { $0.contains("shown at http://127.0.0.1:") })
            let page = try #require(line.split(separator: " ").last.map(String.init))
            let client = HttpClient()
            let calls = try await client.request { $0.url = page + "calls?since=0" }
            #expect(calls.bodyAsString().contains("\"status\":200"))
            #expect(try await client.request { $0.url = page }.bodyAsString().contains("<title>Traffic"))
            tool.interrupt()
            let outcome = try await tool.outcome()
            #expect(outcome.status == 0)
            #expect(try outcome.echo.method == "GET")
        }
    }

    @Test func `A failed command says so, and its page remains until it is interrupted`() async throws {
        let tool = try Tool.start(["inspect", "get", "http://127.0.0.1:1/"])
        let errors = try await tool.errors(containing: "Press Control-C")
        #expect(errors.contains("sallyport: "))
        tool.interrupt()
        #expect(try await tool.outcome().status != 0)
    }

    @Test(arguments: [
        (["inspect"], "inspect"),
        (["inspect", "serve"], "inspect shows the requests of a client, and serve sends none"),
    ])
    func `A command without requests cannot be inspected`(words: [String], message: String) async throws {
        let outcome = try await Tool.run(words)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message))
    }

    @Test(arguments: [["inspect", "--help"], ["inspect", "get", "--help"]])
    func `Help is printed without a page`(words: [String]) async throws {
        let outcome = try await Tool.run(words)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: sallyport \(words[words.count - 2])"))
        #expect(outcome.errors.isEmpty)
    }
}
