import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct DownloadPlanTests {
    private let rest = DownloadPlan.Question(
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

    private func isAskedAgain(_ head: DownloadHead, _ question: DownloadPlan.Question? = nil) -> Bool {
        guard case .askAgain = DownloadPlan(head, to: question ?? rest) else { return false }
        return true
    }

    private func isRefused(_ head: DownloadHead, _ question: DownloadPlan.Question) -> Bool {
        guard case .refuse = DownloadPlan(head, to: question) else { return false }
        return true
    }

    @Test func `The range that was asked for goes on`() {
        #expect(DownloadPlan(part(), to: rest) == .goOn(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.length = 100 }, to: rest) == .goOn(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.contentRange = "bytes 100-149/200" }, to: rest) == .goOn(end: 150, total: 200))
        #expect(DownloadPlan(part { $0.contentRange = "bytes 100-199/*" }, to: rest) == .goOn(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.entityTag = nil }, to: rest) == .goOn(end: 200, total: 200))
        #expect(DownloadPlan(part { $0.contentEncoding = "identity" }, to: rest) == .goOn(end: 200, total: 200))
        var bounded = rest
        bounded.end = 150
        #expect(
            DownloadPlan(part { $0.contentRange = "bytes 100-149/200" }, to: bounded) == .goOn(end: 150, total: 200)
        )
        #expect(isAskedAgain(part(), bounded))
    }

    @Test func `Another range than was asked for is of no use`() {
        #expect(isAskedAgain(part { $0.contentRange = nil }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 99-199/200" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 101-199/200" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 100-249/*" }))
        #expect(isAskedAgain(part { $0.contentRange = "items 100-199/200" }))
        #expect(isAskedAgain(part { $0.length = 99 }))
        #expect(isAskedAgain(part { $0.contentType = "multipart/byteranges; boundary=a" }))
        #expect(isAskedAgain(part { $0.contentEncoding = "gzip" }))
    }

    @Test func `A file that has changed is asked for again`() {
        #expect(isAskedAgain(part { $0.entityTag = "\"b\"" }))
        #expect(isAskedAgain(part { $0.entityTag = "W/\"a\"" }))
        #expect(isAskedAgain(part { $0.contentRange = "bytes 100-199/201" }))
        var question = rest
        question.validators.entityTag = nil
        #expect(isAskedAgain(part { $0.lastModified = "Thu, 02 Jan 2025 00:00:00 GMT" }, question))
    }

    @Test func `A date counts only where it was told`() {
        let here = DownloadPlaceKey(digest: "0a", isSigned: false)
        let elsewhere = DownloadPlaceKey(digest: "0b", isSigned: false)
        var question = rest
        question.validators.entityTag = nil
        question.validators.place = here
        #expect(DownloadPlan(part { $0.place = here }, to: question) == .goOn(end: 200, total: 200))
        #expect(isAskedAgain(part { $0.place = elsewhere }, question))
        #expect(isAskedAgain(part { $0.place = nil }, question))
        question.total = 100
        #expect(
            isAskedAgain(
                head(416) { head in
                    head.contentRange = "bytes */100"
                    head.place = elsewhere
                },
                question
            )
        )
        #expect(DownloadPlan(part { $0.place = elsewhere }, to: rest) == .goOn(end: 200, total: 200))
    }

    @Test func `A date at a signed URL counts only with a length`() {
        let place = DownloadPlaceKey(digest: "0a", isSigned: true)
        var question = rest
        question.validators.entityTag = nil
        question.validators.place = place
        #expect(DownloadPlan(part { $0.place = place }, to: question) == .goOn(end: 200, total: 200))
        #expect(isAskedAgain(part { $0.place = DownloadPlaceKey(digest: "0a", isSigned: false) }, question))
        let withoutTotal = part { head in
            head.place = place
            head.contentRange = "bytes 100-199/*"
        }
        #expect(isAskedAgain(withoutTotal, question))
        question.total = nil
        #expect(isAskedAgain(part { $0.place = place }, question))
    }

    @Test func `The whole starts over, asked for or not`() {
        for question in [rest, DownloadPlan.Question()] {
            #expect(DownloadPlan(head(200) { $0.length = 7 }, to: question) == .startOver(total: 7))
            #expect(DownloadPlan(head(200), to: question) == .startOver(total: nil))
            #expect(DownloadPlan(head(203), to: question) == .startOver(total: nil))
            #expect(isRefused(head(200) { $0.contentEncoding = "br" }, question))
        }
        #expect(isRefused(part(), DownloadPlan.Question()))
    }

    @Test func `A range beyond the end means that all is there, if the lengths agree`() {
        var question = rest
        question.total = nil
        #expect(DownloadPlan(head(416) { $0.contentRange = "bytes */100" }, to: question) == .isWhole)
        question.total = 100
        #expect(DownloadPlan(head(416) { $0.contentRange = "bytes */100" }, to: question) == .isWhole)
        #expect(isAskedAgain(head(416) { $0.contentRange = "bytes */99" }, question))
        #expect(isAskedAgain(head(416), question))
        #expect(
            isAskedAgain(
                head(416) { head in
                    head.contentRange = "bytes */100"
                    head.entityTag = "\"b\""
                },
                question
            )
        )
        #expect(DownloadPlan(head(416), to: DownloadPlan.Question()) == .fail)
    }

    @Test(arguments: [201, 202, 204, 301, 304, 400, 401, 403, 404, 410, 412, 429, 500, 503])
    func `Any other status is no file`(status: Int) {
        #expect(DownloadPlan(head(status), to: rest) == .fail)
    }
}
