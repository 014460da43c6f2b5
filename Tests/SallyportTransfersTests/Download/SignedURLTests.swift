import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct SignedURLTests {
    private static let amazon =
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=K&X-Amz-Date=20250101T000000Z&X-Amz-Expires=60"
        + "&X-Amz-SignedHeaders=host&X-Amz-Signature=abc"

    @Test(arguments: [
        ("/f?\(amazon)", "/f?"), ("/f?versionId=7&\(amazon)", "/f?versionId=7"),
        ("/f?a=1&Expires=9&Signature=x&AWSAccessKeyId=K&b=2", "/f?a=1&b=2"),
        ("/f?Policy=p&Signature=x&Key-Pair-Id=K", "/f?"),
        ("/f?sv=2024-01-01&sr=b&sp=r&se=2025-01-01&sig=x", "/f?"),
        ("/f?x-goog-signature=s&X-Goog-Expires=60&X-Goog-Date=d&X-Goog-Credential=c&generation=3", "/f?generation=3"),
    ])
    func `The parameters of a signature are removed from a URL`(signed: String, rest: String) {
        #expect(SignedURL.withoutSignature("https://example.com" + signed) == "https://example.com" + rest)
    }

    @Test(arguments: [
        "/f", "/f?", "/f?v=1", "/f?token=abc&expires=9", "/f?Signature=x", "/f?sig=x", "/f?Expires=9", "/sig/se/sv",
        "/f?X-Amz-Signature=x&X-Amz-Expires=60", "/f?Expires=9&Signature=x&Signature=y", "/f?Expires=9&%53ignature=x",
    ])
    func `A URL without a complete signature is not changed`(url: String) {
        #expect(SignedURL.withoutSignature("https://example.com" + url) == nil)
    }
}
