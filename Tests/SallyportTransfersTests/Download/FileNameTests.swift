import HTTPTypes
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct FileNameTests {
    private func name(_ disposition: String?, _ url: String) -> String {
        var response = HttpResponse(status: .ok, request: HttpRequest(url: url))
        response.headers.fields[.contentDisposition] = disposition
        return suggestedFileName(from: response, url: url)
    }

    @Test(arguments: [
        ("https://example.com/a/map.zip", "map.zip"), ("https://example.com/a/map.zip?x=/y.txt#/z", "map.zip"),
        ("https://example.com/a/map%20of%20Z%C3%BCrich.zip", "map of Zürich.zip"), ("https://example.com/a/", "a"),
        ("https://example.com/", "download"), ("https://example.com", "download"),
        ("https://example.com?a/b", "download"),
        ("https://example.com/a/..%2F..%2Fetc%2Fpasswd", "passwd"), ("https://example.com/%2e%2e", "download"),
        ("https://example.com/a%00b", "ab"), ("https://example.com/a%252Fb", "a%2Fb"),
        ("https://example.com/%FF.txt", "%FF.txt"), ("", "download"), ("map.zip", "download"),
    ])
    func `Without a name from the server, the name is the last path component of the URL`(url: String, expected: String)
    {
        #expect(name(nil, url) == expected)
    }

    @Test(arguments: [
        ("attachment; filename=\"a.txt\"", "a.txt"), ("inline; filename*=UTF-8''%E2%82%AC.txt; filename=b", "€.txt"),
        ("attachment; filename=\"../../.ssh/authorized_keys\"", "authorized_keys"),
        ("attachment; filename*=UTF-8''..%2F..%2Fa.txt", "a.txt"), ("attachment; filename=\"..\"", "map.zip"),
        ("attachment; filename=\"\"", "map.zip"), ("attachment", "map.zip"),
    ])
    func `The server's file name has precedence unless nothing of it is safe`(disposition: String, expected: String) {
        #expect(name(disposition, "https://example.com/map.zip") == expected)
    }
}
