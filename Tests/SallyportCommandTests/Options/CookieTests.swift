import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CookieTests {
    @Test func `An empty --cookie is accepted, as curl users write it to enable cookies`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("get", base + "/echo", "-b", "").echo
            #expect(echo.headers["cookie"] == nil)
        }
    }

    @Test func `Cookies in arguments are sent`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("get", base + "/echo", "--cookie", "a=1", "--cookie", "b=2; c=3").echo
            #expect(echo.headers["cookie"] == ["a=1; b=2; c=3"])
        }
    }

    @Test func `A cookie jar is written after one call and read by the next`() async throws {
        try await withTemporaryDirectory { folder in
            let jar = folder.appendingPathComponent("jar.txt").path
            try await withGateway { base in
                let first = try await Tool.run("get", base + "/cookies/set?seen=yes", "--cookie-jar", jar)
                #expect(first.status == 0)
                #expect(try String(contentsOfFile: jar, encoding: .utf8).contains("\tseen\tyes"))
                let second = try await Tool.run("get", base + "/echo", "--cookie-jar", jar)
                #expect(try second.echo.headers["cookie"] == ["seen=yes"])
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `A Secure cookie that a server on this computer sets over http is sent to it`(host: String) async throws {
        let cookie = "Set-Cookie: sid=1; Path=/; HttpOnly; Secure; SameSite=None"
        let login = "HTTP/1.1 302 Found\r\n\(cookie)\r\nLocation: /home\r\nContent-Length: 0\r\n\r\n"
        let home = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhome"
        let script: Script = [.receiveRequest, .send(login), .receiveRequest, .send(home)]
        try await withScriptedServer([script]) { server in
            try await withTemporaryDirectory { folder in
                let jar = folder.appendingPathComponent("jar.txt").path
                let outcome = try await Tool.run("get", "http://\(host):\(server.port)/login", "-L", "-c", jar)
                #expect(outcome.status == 0 && outcome.text == "home")
                #expect(server.requests.map { $0["Cookie"] } == [[], ["sid=1"]])
                let saved = try String(contentsOfFile: jar, encoding: .utf8)
                #expect(saved.contains("#HttpOnly_\(host)\tFALSE\t/\tTRUE\t0\tsid\t1"), "\(saved)")
            }
        }
    }

    @Test func `Lines of a file of --cookie that are no cookies are ignored with a warning`() async throws {
        try await withTemporaryDirectory { folder in
            let cookie = "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t1\r"
            let file = try folder.file("jar.txt", "# Netscape\nnot a cookie\n\n\(cookie)\nSet-Cookie: s3cret=1\n")
            try await withGateway { base in
                let outcome = try await Tool.run("get", base + "/echo", "-b", file)
                #expect(try outcome.echo.headers["cookie"] == ["sid=1"])
                #expect(
                    outcome.errors == """
                        sallyport: warning: the cookie file \(file): 2 lines are ignored, the first of them line 2, which is not a \
                        cookie: it has 1 of 7 columns

                        """
                )
            }
        }
    }

    @Test func `A malformed cookie file is refused and left unchanged, and an unwritable one is refused`() async throws
    {
        try await withTemporaryDirectory { folder in
            let jar = try folder.file("jar.txt", "not a cookie")
            try await withGateway { base in
                let malformed = try await Tool.run("get", base + "/echo", "--cookie-jar", jar)
                #expect(malformed.status == 26)
                #expect(malformed.errors.contains("Line 1"))
                #expect(try String(contentsOfFile: jar, encoding: .utf8) == "not a cookie")
                let folderAsJar = try await Tool.run("get", base + "/echo", "--cookie", folder.path)
                #expect(folderAsJar.status == 26)
                #expect(
                    folderAsJar.errors.contains("the file \(folder.path) cannot be read: it is a directory"),
                    "\(folderAsJar.errors)"
                )
                let unwritable = try await Tool.run("get", base + "/echo", "--cookie-jar", "/no/such/folder/jar")
                #expect(unwritable.status == 23)
                #expect(unwritable.output.isEmpty)
            }
        }
    }
}
