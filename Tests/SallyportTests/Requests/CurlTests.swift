import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CurlTests {
    @Test func `A plain GET gives a command with only the URL`() {
        #expect(makeRequest("https://example.com/a").curlDescription == "curl https://example.com/a")
    }

    @Test func `The command contains the complete request`() {
        let request = makeRequest("https://example.com/it's?x=[1]") { request in
            request.setHeader(name: "Authorization", value: "Bearer abc")
            request.setHeader(name: "X-Empty", value: "")
            request.setParameter(name: "q", value: "a b")
            request.put(json: ["it's": "$HOME"])
        }
        #expect(
            request.curlDescription(showingSecrets: true)
                == #"curl --request PUT --header 'Authorization: Bearer abc' --header 'X-Empty;'"#
                + #" --header 'Content-Type: application/json' --data-raw '{"it'\''s":"$HOME"}'"#
                + #" 'https://example.com/it'\''s?x=%5B1%5D&q=a%20b'"#
        )
    }

    @Test func `Secrets are masked by default`() {
        let request = makeRequest("https://example.com/?token=abc") { request in
            request.setHeader(name: "Authorization", value: "Bearer abc")
            request.form(parameters: ["password": "abc", "user": "john"])
        }
        #expect(
            request.curlDescription == "curl --header 'Authorization: ***'"
                + " --header 'Content-Type: application/x-www-form-urlencoded' --data-raw 'password=***&user=john'"
                + " 'https://example.com/?token=***'"
        )
    }

    @Test func `HEAD requests, file bodies and binary bodies use their own curl options`() {
        #expect(
            makeRequest("http://[::1]/%2e%2e/a") { $0.setMethod(.head) }.curlDescription.hasPrefix(
                "curl --head --globoff --path"
            )
        )
        #expect(!makeRequest("http://example.com/.well-known/a").curlDescription.contains("--path"))
        let file = makeRequest { request in
            request.setMethod(.post)
            request.body = .file(URL(fileURLWithPath: "/tmp/a b"))
        }
        #expect(file.curlDescription.contains("--header 'Content-Type:' --data-binary '@/tmp/a b'"))
        let bytes = makeRequest { $0.post(contentType: "image/png", body: Data([0, 255, 65])) }
        #expect(bytes.curlDescription(showingSecrets: true).hasPrefix(#"printf '\000\377\101' | curl --header"#))
    }

    @Test func `A POST with a body has no method option, so that curl changes the method on redirects`() {
        #expect(
            !makeRequest { $0.post(contentType: "text/plain", body: Data("a".utf8)) }.curlDescription.contains("POST")
        )
        #expect(makeRequest { $0.setMethod(.post) }.curlDescription.hasPrefix("curl --request POST "))
        let put = makeRequest { request in
            request.setMethod(.put)
            request.setBody(Data("a".utf8))
        }
        #expect(put.curlDescription.hasPrefix("curl --request PUT "))
    }

    /// Runs the command in a shell, in which `curl` is a function that prints its arguments.
    @Test(arguments: ["plain", "it's", "a b", "$HOME `id` \"x\" \\ !", "", "ü\nnew line", "-x"])
    func `The shell parses each word of the command unchanged`(text: String) async throws {
        let request = makeRequest { request in
            request.setMethod(.post)
            request.setHeader(name: "Content-Type", value: "text/plain")
            request.setBody(Data(text.utf8))
        }
        let command = request.curlDescription(showingSecrets: true)
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "curl() { for word; do printf '%s\\0' \"$word\"; done; }; " + command]
        shell.standardOutput = output
        try shell.run()
        let words = await runBlocking { (try? output.fileHandleForReading.readToEnd()) ?? Data() }
        await runBlocking { shell.waitUntilExit() }
        let parts = words.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(
            parts == [
                "--header", "Content-Type: text/plain", "--data-raw", text,
                "https://api.example.com/", "",
            ]
        )
    }
}
