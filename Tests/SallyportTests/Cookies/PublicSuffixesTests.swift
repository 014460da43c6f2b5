import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct PublicSuffixesTests {
    private let list = PublicSuffixes(
        text: """
            // A comment
            com
            co.uk trailing words

            *.ck
            !www.ck
            *.compute.example.net
            公司.cn
            \r
            """
    )

    @Test(
        arguments: [
            "com", "co.uk", "foo.ck", "ck", "a.compute.example.net", "unknown", "localhost", "CO.UK", "co.uk.", "公司.cn",
            "xn--55qx5d.cn",
        ]
    )
    func `Rules, wildcard matches and single labels are public suffixes`(host: String) {
        #expect(list.isPublicSuffix(host))
    }

    @Test(
        arguments: [
            "example.com", "a.example.com", "example.co.uk", "www.ck", "a.www.ck", "a.foo.ck", "compute.example.net",
            "b.a.compute.example.net", "evilco.uk", "example.unknown", "127.0.0.1", "::1", "", "a..b", "x.公司.cn",
        ]
    )
    func `Registrable domains, exceptions and addresses are not public suffixes`(host: String) {
        #expect(!list.isPublicSuffix(host))
    }

    @Test(
        arguments: [
            "com", "uk", "co.uk", "com.au", "ac.uk", "org.uk", "gov.uk", "co.jp", "ne.jp", "or.kr", "com.br", "edu.cn",
            "co.nz", "gob.mx", "foo.ck", "github.io", "herokuapp.com", "workers.dev", "localhost",
        ]
    )
    func `The compact and the built-in list contain common registries and hosting services`(host: String) {
        #expect(PublicSuffixes.compact.isPublicSuffix(host))
        #expect(PublicSuffixes.builtIn.isPublicSuffix(host))
    }

    @Test(
        arguments: [
            "example.com", "example.co.uk", "bbc.co.uk", "web.de", "id.me", "t.co", "www.ck", "me.github.io",
            "www.gov.uk", "amazonaws.com", "google.com", "127.0.0.1",
        ]
    )
    func `Ordinary domains are not in the compact and the built-in list`(host: String) {
        #expect(!PublicSuffixes.compact.isPublicSuffix(host))
        #expect(!PublicSuffixes.builtIn.isPublicSuffix(host))
    }

    @Test func `Loading an installed list from a missing file or a directory returns nil`() {
        #expect(PublicSuffixes.installed(at: "/nonexistent/list.dat") == nil)
        #expect(PublicSuffixes.installed(at: "/") == nil)
    }
}
