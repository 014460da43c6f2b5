import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct DownloadPlanTests {
    private let rest = RangeRequest(
        start: 100,
        total: 200,
        validators: DownloadValidators(entityTag: "\"a\"", lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")
    )

    private func head(_ status: Int, _ change: (inout DownloadHead) -> Void = { _ in }) -> DownloadHead {
        var head = DownloadHead(status: status)
        change(&head)
        return head
    }

    private func part(_ change: (inout DownloadHead) -> Void = { _ in }) -> DownloadHead {
        head(206) { head in
            head.contentRange = "bytes 100-199/200"
            head.entityTag = "\"a\""
            change(&head)
        }
    }

    private func isAskedAgain(_ head: DownloadHead, _ request: RangeRequest? = nil) -> Bool {
        guard case .restart = DownloadPlan(head, for: request ?? rest) else { return false }
        return true
    }

    private func isRefused(_ head: DownloadHead, _ request: RangeRequest) -> Bool {
        guard case .reject = DownloadPlan(head, for: request) else { return false }
        return true
    }

    @Test func `The requested range is appended`() {
        #expect(DownloadPlan(part(), for: rest) == .append(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.length = 100 }, for: rest) == .append(end: 200, total: 200))
        #expect(
            DownloadPlan(part { $0.contentRange = "bytes 100-149/200" }, for: rest) == .append(end: 150, total: 200)
        )
        #expect(DownloadPlan(part { $0.contentRange = "bytes 100-199/*" }, for: rest) == .append(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.entityTag = nil }, for: rest) == .append(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.contentEncoding = "identity" }, for: rest) == .append(end: 200, total: 200))
        var bounded = rest
        bounded.end = 150
        #expect(
            DownloadPlan(part { $0.contentRange = "bytes 100-149/200" }, for: bounded) == .append(end: 150, total: 200)
        )
        #expect(isAskedAgain(part(), bounded))
    }

    @Test func `A response with another range than the requested one restarts the download`() {
        #expect(isAskedAgain(part { $0.contentRange = nil }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 99-199/200" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 101-199/200" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 100-249/*" }))
        #expect(isAskedAgain(part { $0.contentRange = "items 100-199/200" }))
        #expect(isAskedAgain(part { $0.length = 99 }))
        #expect(isAskedAgain(part { $0.contentType = "multipart/byteranges; boundary=a" }))
        #expect(isAskedAgain(part { $0.contentEncoding = "gzip" }))
    }

    @Test func `A changed file restarts the download`() {
        #expect(isAskedAgain(part { $0.entityTag = "\"b\"" }))
        #expect(isAskedAgain(part { $0.entityTag = "W/\"a\"" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 100-199/201" }))
        var request = rest
        request.validators.entityTag = nil
        #expect(isAskedAgain(part { $0.lastModified = "Thu, 02 Jan 2025 00:00:00 GMT" }, request))
    }

    @Test func `A Last-Modified date is valid only for the location that sent it`() {
        let here = DownloadLocation(digest: "0a", isSigned: false)
        let elsewhere = DownloadLocation(digest: "0b", isSigned: false)
        var request = rest
        request.validators.entityTag = nil
        request.validators.location = here
        #expect(DownloadPlan(part { $0.location = here }, for: request) == .append(end: 200, total: 200))
        #expect(isAskedAgain(part { $0.location = elsewhere }, request))
        #expect(isAskedAgain(part { $0.location = nil }, request))
        request.total = 100
        #expect(
            isAskedAgain(
                head(416) { head in
                    head.contentRange = "bytes */100"
                    head.location = elsewhere
                },
                request
            )
        )
        #expect(DownloadPlan(part { $0.location = elsewhere }, for: rest) == .append(end: 200, total: 200))
    }

    @Test func `A Last-Modified date of a signed URL is valid only with a known length`() {
        let location = DownloadLocation(digest: "0a", isSigned: true)
        var request = rest
        request.validators.entityTag = nil
        request.validators.location = location
        #expect(DownloadPlan(part { $0.location = location }, for: request) == .append(end: 200, total: 200))
        #expect(isAskedAgain(part { $0.location = DownloadLocation(digest: "0a", isSigned: false) }, request))
        let withoutTotal = part { head in
            head.location = location
            head.contentRange = "bytes 100-199/*"
        }
        #expect(isAskedAgain(withoutTotal, request))
        request.total = nil
        #expect(isAskedAgain(part { $0.location = location }, request))
    }

    @Test func `A complete response replaces the partial file, even if a range was requested`() {
        for request in [rest, RangeRequest()] {
            #expect(DownloadPlan(head(200) { $0.length = 7 }, for: request) == .replace(total: 7))
            #expect(DownloadPlan(head(200), for: request) == .replace(total: nil))
            #expect(DownloadPlan(head(203), for: request) == .replace(total: nil))
            for coding in ["br", "identity, BR", "aws-chunked, gzip"] {
                #expect(isRefused(head(200) { $0.contentEncoding = coding }, request))
            }
            for label in ["aws-chunked", "none", "UTF-8", "identity, binary"] {
                #expect(DownloadPlan(head(200) { $0.contentEncoding = label }, for: request) == .replace(total: nil))
            }
        }
        #expect(isRefused(part(), RangeRequest()))
    }

    @Test func `A range that is not satisfiable means a complete file if the lengths match`() {
        var request = rest
        request.total = nil
        #expect(DownloadPlan(head(416) { $0.contentRange = "bytes */100" }, for: request) == .complete)
        request.total = 100
        #expect(DownloadPlan(head(416) { $0.contentRange = "bytes */100" }, for: request) == .complete)
        #expect(isAskedAgain(head(416) { $0.contentRange = "bytes */99" }, request))
        #expect(isAskedAgain(head(416), request))
        #expect(
            isAskedAgain(
                head(416) { head in
                    head.contentRange = "bytes */100"
                    head.entityTag = "\"b\""
                },
                request
            )
        )
        #expect(DownloadPlan(head(416), for: RangeRequest()) == .fail)
    }

    @Test(arguments: [201, 202, 204, 301, 304, 400, 401, 403, 404, 410, 412, 429, 500, 503])
    func `Any other status is a failure`(status: Int) {
        #expect(DownloadPlan(head(status), for: rest) == .fail)
    }
}
