import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct NetworkConstantsTests {
    @Test(arguments: [
        (NetworkConstants.headerAccept, "Accept"),
        (NetworkConstants.headerAuthorization, "Authorization"),
        (NetworkConstants.headerContentType, "Content-Type"),
        (NetworkConstants.headerCookie, "Cookie"),
        (NetworkConstants.headerIdempotencyKey, "Idempotency-Key"),
        (NetworkConstants.headerLocation, "Location"),
        (NetworkConstants.headerSetCookie, "Set-Cookie"),
        (NetworkConstants.headerUserAgent, "User-Agent"),
        (NetworkConstants.headerRequestedWith, "x-requested-with"),
        (NetworkConstants.headerRequestedPlatform, "x-requested-platform"),
        (NetworkConstants.contentTypeJSON, "application/json"),
        (NetworkConstants.contentTypeForm, "application/x-www-form-urlencoded"),
        (NetworkConstants.contentTypeMultipart, "multipart/form-data"),
        (NetworkConstants.contentTypeText, "text/plain"),
        (NetworkConstants.contentTypeBinary, "application/octet-stream"),
        (NetworkConstants.contentTypeEventStream, "text/event-stream"),
    ])
    func `A constant has the text of its header or media type`(constant: String, text: String) {
        #expect(constant == text)
    }
}
