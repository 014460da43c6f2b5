import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

/// The arguments were sent with curl 7.88 as well; what is refused here loses text or becomes a form inside the form there.
@Suite(.concurrencyLimited) struct PartArgumentTests {
    @Test(
        arguments: [
            ("p=x", "x"), ("p= x ", "x"), (#"p=" x ""#, " x "), (#"p="a\"b\\c\d""#, #"a"b\c\d"#),
            (#"p="abc"#, #""abc"#),
            (#"p=a"b"#, #"a"b"#), (#"p="Ada; Countess""#, "Ada; Countess"), ("p=", ""), (#"p="""#, ""),
            ("p=a,b", "a,b"),
            ("p=a=b", "a=b"), (#"p="@x""#, "@x"), (#"p="(030) 1""#, "(030) 1"), (#"p="é"#, #""é"#),
        ]
    )
    func `A value may be in quotation marks`(argument: String, value: String) throws {
        let part = try PartArgument(argument)
        guard case .text(let text) = part.source else { Issue.record("\(part)"); return }
        #expect(text == value)
        #expect(part.name == "p" && part.sentFilename == nil && part.contentType == nil)
    }

    @Test(
        arguments: [
            ("p=@a b.txt", "a b.txt", "a b.txt", nil), (#"p=@"a;b, c.txt""#, "a;b, c.txt", "a;b, c.txt", nil),
            (#"p=@a.txt;filename="report 1.txt""#, "a.txt", "report 1.txt", nil),
            ("p=@a.txt; filename=x y ;type=a/b", "a.txt", "x y", "a/b"),
            (#"p=@"a\"b";FileName="c\"d";TYPE=a/b"#, #"a"b"#, #"c"d"#, "a/b"),
            ("p=@a.txt;type=text/plain; charset=utf-8;filename=q", "a.txt", "q", "text/plain; charset=utf-8"),
            ("p=@a.txt;type=text/plain;charset=utf-8", "a.txt", "a.txt", "text/plain;charset=utf-8"),
            (#"p=@a.txt;type="a/b""#, "a.txt", "a.txt", #""a/b""#), ("p=@a.txt;filename=", "a.txt", "", nil),
            ("p=<a.txt;type=a/b", "a.txt", nil, "a/b"),
        ] as [(String, String, String?, String?)]
    )
    func `A file may have a path in quotation marks, a name and a type`(
        argument: String,
        path: String,
        filename: String?,
        type: String?
    ) throws {
        let part = try PartArgument(argument)
        guard case .file(let file) = part.source else { Issue.record("\(part)"); return }
        #expect(file == path)
        #expect(part.sentFilename == filename)
        #expect(part.contentType == type)
    }

    @Test(
        arguments: [
            ("noequals", "name=value"), ("=x", "name=value"), ("p=a;b", "after a semicolon"),
            ("p=a;", "after a semicolon"), (#"p="a"b"#, "after the closing quotation mark"),
            (#"p=@"a" b;type=a/b"#, "after the closing quotation mark"), ("p=@a,b", "several files"),
            (#"p=@"a","b""#, "several files"), ("p=@a;type=a/b,b", "several files"), ("p=(030) 1", "parenthesis"),
            ("p=x;type=foo", "type/subtype"), ("p=@a;encoder=base64", "encoder="),
            ("p=<a;filename=b", "it has filename="),
            ("p=x;headers=nothing", "'Name: value'"),
        ]
    )
    func `Text that curl drops or reads as something else is refused, and not quoted`(argument: String, words: String)
        async throws
    {
        let outcome = try await Tool.run("post", "http://127.0.0.1:9/", "-F", argument)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("the value of -F <name=value|@file|<file> cannot be used: "),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `--form sends the content of a file, as -F`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("x.txt", "abc")
            try await withGateway { base in
                let echo = try await Tool.run("\(base)/echo", "--form", "file=@\(file)", "--form", "name=Ada").echo
                #expect(echo.method == "POST")
                #expect(echo.headers["content-type"]?.first?.hasPrefix("multipart/form-data; boundary=") == true)
                #expect(
                    echo.body.contains("name=\"file\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n")
                )
                #expect(echo.body.contains("name=\"name\"\r\n\r\nAda\r\n"), "\(echo.body)")
            }
        }
    }

    @Test func `Quotation marks and headers have curl's meaning`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("a b.txt", "abc")
            let headers = try folder.file("headers", "X-C: 3\nContent-Type: x/y\n")
            try await withGateway { base in
                for (argument, part) in [
                    ("f=@\"\(file)\"", "name=\"f\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n"),
                    (
                        "f=@\(file);filename=\"report 1.txt\"",
                        "name=\"f\"; filename=\"report 1.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n"
                    ),
                    ("name=\"Ada; Countess\"", "name=\"name\"\r\n\r\nAda; Countess\r\n"),
                    (
                        "f=@\(file);filename=r.txt;headers=\"X-A: 1\";headers=\"X-B: 2\"",
                        "filename=\"r.txt\"\r\nContent-Type: text/plain\r\nx-a: 1\r\nx-b: 2\r\n\r\nabc\r\n"
                    ),
                    ("f=x;headers=@\(headers)", "name=\"f\"\r\nContent-Type: x/y\r\nx-c: 3\r\n\r\nx\r\n"),
                ] {
                    let outcome = try await Tool.run("post", base + "/echo", "-F", argument)
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(try outcome.echo.body.contains(part), "\(argument): \(outcome.text)")
                }
                let several = try await Tool.run("post", base + "/echo", "-F", "f=@\(file),\(file)")
                #expect(several.status == 2)
                #expect(several.errors.contains("it names several files"))
                let text = try await Tool.run(["post", base + "/echo", "-F", "f=<-"], input: Data("piped".utf8)).echo
                #expect(text.body.contains("name=\"f\"\r\n\r\npiped\r\n"), "\(text.body)")
            }
        }
    }

    @Test(
        arguments: [
            ("Content-Type: multipart/form-data", "multipart/form-data"),
            ("Content-Type: multipart/form-data; boundary=abc", "multipart/form-data"),
            ("content-type:multipart/related; type=\"a/b\"; boundary=abc", "multipart/related; type=\"a/b\""),
        ]
    )
    func `An own Content-Type of a form gets its boundary`(header: String, type: String) async throws {
        try await withGateway { base in
            for option in [["-H", header], ["--content-type", String(header.drop { $0 != ":" }.dropFirst())]] {
                let echo = try await Tool.run(["post", base + "/echo", "-F", "a=b"] + option).echo
                let sent = try #require(echo.headers["content-type"]?.first)
                let boundary = try #require(echo.body.split(separator: "\r\n").first?.dropFirst(2))
                #expect(sent == "\(type); boundary=\(boundary)")
            }
        }
    }

    @Test(arguments: ["Content-Type: application/json", "Content-Type:", "Content-Type;"])
    func `A Content-Type that does not fit a form is refused`(header: String) async throws {
        let outcome = try await Tool.run("post", "http://127.0.0.1:9/", "-F", "a=b", "-H", header)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("begins with multipart/ and contains its boundary"), "\(outcome.errors)")
    }
}
