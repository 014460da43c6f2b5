import ClientTestSupport
import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct WebLinkTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var header: String
        var links: [WebLink]

        init(_ header: String, _ links: WebLink...) {
            (self.header, self.links) = (header, links)
        }

        var testDescription: String { header }
    }

    /// Examples, including those of RFC 8288, section 3.5.
    static let headers = [
        Case(""),
        Case(
            #"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#,
            WebLink(
                target: "http://example.com/TheBook/chapter2",
                relations: ["previous"],
                parameters: ["title": "previous chapter"]
            )
        ),
        Case(
            #"</>; rel="http://example.net/foo""#,
            WebLink(target: "/", relations: ["http://example.net/foo"])
        ),
        Case(
            ##"</terms>; rel="copyright"; anchor="#foo""##,
            WebLink(target: "/terms", relations: ["copyright"], parameters: ["anchor": "#foo"])
        ),
        Case(
            #"</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel"#,
            WebLink(
                target: "/TheBook/chapter2",
                relations: ["previous"],
                parameters: ["title*": "UTF-8'de'letztes%20Kapitel"]
            ),
            WebLink(
                target: "/TheBook/chapter4",
                relations: ["next"],
                parameters: ["title*": "UTF-8'de'n%c3%a4chstes%20Kapitel"]
            )
        ),
        Case(
            #"<http://example.org/>; rel="start http://example.net/relation/other""#,
            WebLink(target: "http://example.org/", relations: ["start", "http://example.net/relation/other"])
        ),
        Case(
            #"<https://example.org/>; rel="start", <https://example.org/index>; rel="index""#,
            WebLink(target: "https://example.org/", relations: ["start"]),
            WebLink(target: "https://example.org/index", relations: ["index"])
        ),
        Case(
            "<a>;rel=next,<b>;rel=last",
            WebLink(target: "a", relations: ["next"]),
            WebLink(target: "b", relations: ["last"])
        ),
        Case("  < a > ; REL = Next ", WebLink(target: "a", relations: ["next"])),
        Case("<a>; rel=next; rel=last", WebLink(target: "a", relations: ["next"])),
        Case(#"<a>; rel*="UTF-8''next""#, WebLink(target: "a", relations: [], parameters: ["rel*": "UTF-8''next"])),
        Case(
            #"<a>; rel*=UTF-8''prev; rel=next"#,
            WebLink(target: "a", relations: ["next"], parameters: ["rel*": "UTF-8''prev"])
        ),
        Case(#"<a?x=1,2;3>; rel="next""#, WebLink(target: "a?x=1,2;3", relations: ["next"])),
        Case(
            #"<a>; title="x, <b>; rel=\"next\"; \\"; rel=last"#,
            WebLink(target: "a", relations: ["last"], parameters: ["title": #"x, <b>; rel="next"; \"#])
        ),
        Case(
            #"<a>; title="open; rel=next"#,
            WebLink(target: "a", relations: [], parameters: ["title": "open; rel=next"])
        ),
        Case("<a>", WebLink(target: "a", relations: [])),
        Case("<>; rel=next", WebLink(target: "", relations: ["next"])),
        Case("<a>;; rel=next;", WebLink(target: "a", relations: ["next"])),
        Case("<a>; flag; rel=next", WebLink(target: "a", relations: ["next"], parameters: ["flag": ""])),
        Case("<a>; rel", WebLink(target: "a", relations: [])),
        Case(
            "<a> junk; rel=next, <b>; rel=next",
            WebLink(target: "a", relations: []),
            WebLink(target: "b", relations: ["next"])
        ),
        Case(", ,<a>; rel=next,,", WebLink(target: "a", relations: ["next"])),
        Case("a; rel=next"),
        Case("<a; rel=next"),
        Case("<a>; rel=next, b, <c>; rel=last", WebLink(target: "a", relations: ["next"])),
        Case(#"<é>; rel="näxt""#, WebLink(target: "é", relations: ["näxt"])),
    ]

    @Test(arguments: headers)
    func `Links are parsed as in RFC 8288`(_ example: Case) {
        #expect(response(example.header).links == example.links)
    }

    @Test(
        arguments: [
            ("<https://b.example/x>; rel=next", "https://b.example/x"),
            ("</x?page=2>; rel=next", "https://a.example/x?page=2"),
            ("<x>; rel=next", "https://a.example/users/x"),
            ("<?page=2>; rel=next", "https://a.example/users/list?page=2"),
            ("<//b.example/x>; rel=next", "https://b.example/x"), ("<../x>; rel=next", "https://a.example/x"),
            ("<>; rel=next", "https://a.example/users/list?page=1"),
            ("<x>; rel=\"last NEXT\"", "https://a.example/users/x"),
            ("<x>; rel=next; anchor=\"\"", "https://a.example/users/x"),
            ("<x>; rel=next; anchor=\"/users/list?page=1\"", "https://a.example/users/x"),
            ("<x>; rel=next; anchor=\"#part\"", nil),
            ("<x>; rel=next; anchor=\"/other\", <y>; rel=next", "https://a.example/users/y"),
            ("<x>; rel=last", nil), ("<x>; rel=nextish", nil), ("<x>; title=next", nil),
            ("<x>; rel=next, <y>; rel=next", "https://a.example/users/x"),
        ] as [(String, String?)]
    )
    func `The first link of a relation whose context is the response is resolved to an absolute URL`(
        _ header: String,
        _ url: String?
    ) {
        #expect(response(header).link("next") == url)
    }

    @Test func `Several Link headers are combined`() {
        let request = makeRequest("https://a.example/users/list?page=1")
        let headers: HttpHeaders = ["Link": ["<x>; rel=prev", "<y>; rel=next"]]
        #expect(
            HttpResponse(status: .ok, headers: headers, request: request).link("next") == "https://a.example/users/y"
        )
        #expect(HttpResponse(status: .ok, request: request).links.isEmpty)
    }

    @Test(arguments: 0..<200)
    func `Random headers give at most one link for each opening bracket`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let pieces = ["<", ">", ";", ",", "=", "\"", "\\", " ", "rel", "next", "é", "anchor", "*"]
        let header = (0..<40).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        #expect(response(header).links.count <= header.count { $0 == "<" })
    }

    private func response(_ header: String) -> HttpResponse {
        let request = makeRequest("https://a.example/users/list?page=1")
        return HttpResponse(status: .ok, headers: ["Link": [header]], request: request)
    }
}
