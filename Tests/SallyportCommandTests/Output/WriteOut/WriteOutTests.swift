import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

/// Tests of `--write-out` with a server that sends a response of known size.
@Suite(.concurrencyLimited) struct WriteOutTests {
    private static let head = """
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-One: 1\r\nX-One: 2\r\nContent-Length: 4\r\n\r\n
        """
    private static let answer: [ScriptStep] = [.receiveRequest, .send(head + "body")]

    /// Returns the output for a format after the body, and the port of the server.
    private func written(_ format: String, _ options: String..., method: String = "get") async throws -> (String, Int) {
        try await withScriptedServer([Self.answer]) { server in
            let arguments = [method, "http://\(server.authority)/a?b=c", "-w", format] + options
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("body"))
            return (String(outcome.text.dropFirst(4)), server.port)
        }
    }

    @Test(
        arguments: [
            ("%{http_code}", "200"), ("%{response_code}\\n", "200\n"), ("%{size_download}", "4"),
            ("%{size_upload}", "0"), ("%{size_header}", "\(head.utf8.count)"), ("%{content_type}", "text/plain"),
            ("%{http_version}", "1.1"), ("%{scheme}", "http"), ("%{method}", "GET"), ("%{remote_ip}", "127.0.0.1"),
            ("%{local_ip}", "127.0.0.1"), ("%{num_redirects} %{num_retries} %{num_connects}", "0 0 1"),
            ("%{num_headers}", "4"), ("%{exitcode}:%{errormsg}", "0:"), ("%{time_redirect}", "0.000000"),
            ("%{time_appconnect}", "0.000000"), ("%{redirect_url}%{filename_effective}%{referer}", ""),
            ("%{proxy_used}%{ssl_verify_result}%{num_certs}%{certs}", "000"), ("%header{X-One} %header{y}", "1 "),
            ("a\\tb\\r%%{x}%q\\q", "a\tb\r%{x}%q\\q"), ("%{onerror}never", ""), ("%{urlnum}", "0"), ("%{", "%{"),
            ("%{http_connect}", "000"), ("%{url.scheme} %{url.host} %{url.path} %{url.query}", "http 127.0.0.1 /a b=c"),
            ("%{url.fragment}", ""), ("%{urle.host}%{urle.path}", "127.0.0.1/a"),
        ]
    )
    func `A variable has curl's meaning`(format: String, text: String) async throws {
        #expect(try await written(format).0 == text)
    }

    @Test func `Addresses, URLs and sizes are those of the request`() async throws {
        let (text, port) = try await written(
            "%{url} %{url_effective} %{remote_port} %{size_upload} %{size_request}",
            "--body",
            "12345",
            "-H",
            "User-Agent: x",
            method: "post"
        )
        let parts = text.split(separator: " ")
        let url = "http://127.0.0.1:\(port)/a?b=c"
        #expect(parts.prefix(4).elementsEqual([Substring(url), Substring(url), "\(port)", "5"]), "\(text)")
        #expect(try #require(Int(parts[4])) > 60)
    }

    @Test func `A body of unknown length is counted while it is sent`() async throws {
        try await withScriptedServer([Self.answer]) { server in
            let arguments = ["post", "http://\(server.authority)/", "--body", "@-", "-w", " %{size_upload}"]
            let outcome = try await Tool.run(arguments, input: Data(count: 70_000))
            #expect(outcome.text == "body 70000")
        }
    }

    @Test func `The times increase from phase to phase`() async throws {
        let names = [
            "time_namelookup", "time_connect", "time_pretransfer", "time_posttransfer", "time_starttransfer",
            "time_total",
        ]
        let (text, _) = try await written(names.map { "%{\($0)}" }.joined(separator: " "))
        let times = text.split(separator: " ").compactMap { Double($0) }
        #expect(times.count == names.count, "\(text)")
        #expect(times.last.map { $0 > 0 } == true)
        // The time at which the request was sent is measured by another clock than the opening of the connection.
        #expect(times.filter { $0 != times[3] } == times.filter { $0 != times[3] }.sorted(), "\(text)")
    }

    @Test func `The JSON contains all variables, and the headers by their names`() async throws {
        let json = try await written("%{json}").0
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        for variable in WriteOutVariable.allCases { #expect(object[variable.rawValue] != nil, "\(variable.rawValue)") }
        #expect(object["http_code"] as? Int == 200)
        #expect(object["size_download"] as? Int == 4)
        #expect(object["remote_ip"] as? String == "127.0.0.1")
        #expect((object["time_total"] as? Double).map { $0 > 0 } == true)
        #expect(object["errormsg"] is NSNull)
        let headers = try await written("%{header_json}").0
        let values = try JSONDecoder().decode([String: [String]].self, from: Data(headers.utf8))
        #expect(values == ["content-type": ["text/plain"], "x-one": ["1", "2"], "content-length": ["4"]])
    }

    @Test func `Parts can go to standard error, and a format is read from a file or standard input`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("format", "%{stderr}%{http_code}\n%{stdout}out")
            try await withScriptedServer([Self.answer, Self.answer]) { server in
                let url = "http://\(server.authority)/"
                let outcome = try await Tool.run("get", url, "--write-out", "@\(file)")
                #expect(outcome.text == "bodyout")
                #expect(outcome.errors == "200\n")
                let piped = try await Tool.run(["get", url, "-w", "@-"], input: Data("%{num_headers}".utf8))
                #expect(piped.text == "body4")
            }
        }
    }

    @Test func `Redirects are counted, and a redirect that is not followed is named`() async throws {
        try await withGateway { base in
            let format = "%{num_redirects} %{num_connects} %{http_code} %{redirect_url} %{url_effective}"
            let followed = try await Tool.run(
                "get",
                base + "/redirect/2",
                "--follow",
                "5",
                "-o",
                "/dev/null",
                "-w",
                format
            )
            #expect(followed.text.hasPrefix("2 1 200  \(base)/"), "\(followed.text)")
            let refused = try await Tool.run("get", base + "/redirect/2", "-o", "/dev/null", "-w", format)
            #expect(refused.text.hasPrefix("0 1 302 \(base)/"), "\(refused.text)")
        }
    }

    @Test func `A call that fails has the exit status and the error`() async throws {
        try await withSilentPort { port in
            let url = "http://127.0.0.1:\(port)/"
            let format = "%{exitcode} %{http_code} %{onerror}%{errormsg}"
            let outcome = try await Tool.run("get", url, "-w", format)
            #expect(outcome.status == 7)
            #expect(outcome.text.hasPrefix("7 000 "))
            #expect(outcome.errors == "sallyport: \(outcome.text.dropFirst(6))\n")
        }
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/status/404", "--fail", "-w", "%{exitcode} %{http_code}")
            #expect(outcome.text == "22 404")
        }
    }

    @Test func `A variable that does not exist is refused before anything is sent`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            for (format, advice) in [
                ("%{http_status}", "--write-out has no variable %{http_status}; "),
                ("%{HTTP_CODE}", "did you mean %{http_code}"),
                ("%{total_time}", "%{time_total}"), ("%{nonsense}", "the variables are certs, "),
                ("%{url.user}", "url.path, url.port, "), ("%output{a}", "redirect standard output"),
                ("%time{%H}", "use the command date"),
            ] {
                let outcome = try await Tool.run("get", "http://\(server.authority)/", "-w", format)
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains(advice), "\(outcome.errors)")
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `The option --timings shows each phase and request`() async throws {
        try await withSecureGateway { base, authority in
            let outcome = try await Tool.run(
                "get",
                base + "/redirect/1",
                "--follow",
                "1",
                "--timings",
                "--cacert",
                authority
            )
            let lines = outcome.errors.split(separator: "\n")
            let names = lines.map {
                $0.hasPrefix("GET ") ? "GET" : String($0.prefix(10)).trimmingCharacters(in: .whitespaces)
            }
            #expect(
                names == [
                    "GET", "resolve", "connect", "TLS", "sent", "first byte", "GET", "sent", "first byte", "body",
                    "total",
                ],
                "\(outcome.errors)"
            )
            #expect(lines.first?.hasSuffix(" -> 302") == true)
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("GET") || $0.hasSuffix("ms") || $0.hasSuffix(" s") })
        }
    }
}
