import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct DownloadValidatorsTests {
    private let location = DownloadLocation(digest: "0a", isSigned: false)
    private let now = Date(timeIntervalSince1970: 1_735_693_200)

    @Test func `A strong entity tag is a validator, and a weak one is not`() {
        #expect(DownloadValidators(["ETag": ["\"a\""]], from: location, now: now).ifRange == "\"a\"")
        for tag in ["W/\"a\"", "a", "\"", ""] {
            #expect(DownloadValidators(["ETag": [tag]], from: location, now: now).ifRange == nil)
        }
    }

    @Test func `A date is a validator only if it is at least a minute before the response`() {
        let sent = "Wed, 01 Jan 2025 01:00:00 GMT"
        let old = "Wed, 01 Jan 2025 00:59:00 GMT"
        let new = "Wed, 01 Jan 2025 00:59:01 GMT"
        #expect(DownloadValidators(["Last-Modified": [old], "Date": [sent]], from: location, now: now).ifRange == old)
        #expect(DownloadValidators(["Last-Modified": [new], "Date": [sent]], from: location, now: now).ifRange == nil)
        #expect(DownloadValidators(["Last-Modified": [old]], from: location, now: now).ifRange == nil)
        #expect(
            DownloadValidators(["Last-Modified": ["now"], "Date": [sent]], from: location, now: now).ifRange == nil
        )
        let both = DownloadValidators(
            ["Last-Modified": [old], "Date": [sent], "ETag": ["\"a\""]],
            from: location,
            now: now
        )
        #expect(both.ifRange == "\"a\"")
    }

    @Test func `A date is bound to its location, and an entity tag is not`() {
        let headers: HttpHeaders = [
            "Last-Modified": ["Wed, 01 Jan 2025 00:00:00 GMT"], "Date": ["Wed, 01 Jan 2025 01:00:00 GMT"],
        ]
        #expect(DownloadValidators(headers, from: location, now: now).location == location)
        #expect(DownloadValidators(headers, from: nil, now: now).ifRange == nil)
        #expect(DownloadValidators(["ETag": ["\"a\""]], from: location, now: now).location == nil)
    }
}
