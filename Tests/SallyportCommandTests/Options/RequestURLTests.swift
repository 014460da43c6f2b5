import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct RequestURLTests {
    @Test(
        arguments: [
            ("http://a/", "http://a/", nil, nil), ("https://ada:s3@a:1/x?y@z", "https://a:1/x?y@z", "ada", "s3"),
            ("http://ada@a", "http://a", "ada", nil), ("HTTP://ada:@a", "HTTP://a", "ada", ""),
            ("http://a%3Ab:c:d@h/", "http://h/", "a:b", "c:d"), ("http://a@b:c@h/", "http://h/", "a@b", "c"),
            ("http://h/a@b", "http://h/a@b", nil, nil), ("http://@h/", "http://@h/", nil, nil),
            ("localhost:8080/x", "http://localhost:8080/x", nil, nil), ("LOCALHOST", "http://LOCALHOST", nil, nil),
            ("127.0.0.1?a", "http://127.0.0.1?a", nil, nil), ("[::1]:80/", "http://[::1]:80/", nil, nil),
            ("id.localhost/", "http://id.localhost/", nil, nil), ("localhost.test", "localhost.test", nil, nil),
            ("10.0.0.1", "10.0.0.1", nil, nil), ("localhost:x", "localhost:x", nil, nil),
            (":8080/x", "http://localhost:8080/x", nil, nil), (":/x", "http://localhost:/x", nil, nil),
            ("://h/", "://h/", nil, nil), ("::1", "::1", nil, nil),
            ("http://a:%FF@h/", "http://a:%FF@h/", nil, nil), ("ftp://a:b@h/", "ftp://a:b@h/", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func `A URL is split into the URL to send and its user`(
        argument: String,
        url: String,
        name: String?,
        password: String?
    ) {
        let address = RequestURL(argument)
        #expect(address.text == url)
        #expect(address.user?.name == name)
        #expect(address.user?.password == password)
        #expect(!"\(address)".contains("s3"))
    }
}
