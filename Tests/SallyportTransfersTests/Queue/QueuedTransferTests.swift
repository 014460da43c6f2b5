import Foundation
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueuedTransferTests {
    private let file = URL(fileURLWithPath: "/tmp/map.zip")

    private func problem(of transfer: QueuedTransfer) -> String {
        do throws(TransferError) {
            try transfer.check()
            return ""
        } catch {
            return error.description
        }
    }

    @Test(arguments: ["a", "map-1.zip_2", String(repeating: "a", count: 100)])
    func `An identifier can contain letters, digits, dots, dashes and underscores`(identifier: String) {
        #expect(problem(of: .download("https://example.com/", to: .file(file), identifier: identifier)) == "")
    }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a b", "ä", "a\n", "a\0", String(repeating: "a", count: 101)])
    func `An identifier that is not a safe file name is refused`(identifier: String) {
        let text = problem(of: .download("https://example.com/", to: .file(file), identifier: identifier))
        #expect(text.contains("is invalid; choose 1 to 100 letters"))
    }

    @Test(arguments: ["Authorization", "authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "DPoP"])
    func `A header that contains a secret is refused without showing its value`(name: String) {
        let text = problem(of: .download("https://example.com/", to: .file(file), headers: [name: "hunter2"]))
        #expect(text.contains("the header \(name) holds a secret"))
        #expect(text.contains("client.authorized(by:)"))
        #expect(!text.contains("hunter2"))
    }

    @Test func `A token in any header is refused`() {
        let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
        let text = problem(of: .download("https://example.com/", to: .file(file), headers: ["X-Other": token]))
        #expect(text.contains("the header X-Other holds a secret"))
    }

    @Test(arguments: [
        ("ftp://example.com/", "has the scheme ftp"), ("example.com", "has no scheme"), ("", "the request has no URL"),
        ("https://user:hunter2@example.com/", "contains a user name or password"),
    ])
    func `An invalid URL is refused without showing its password`(url: String, reason: String) {
        let text = problem(of: .download(url, to: .file(file)))
        #expect(text.contains(reason))
        #expect(!text.contains("hunter2"))
    }

    @Test func `An invalid method or header name is refused`() {
        #expect(problem(of: .upload(.file(file), to: "https://example.com/", headers: ["a b": "c"])).contains("a b"))
        var upload = QueuedUpload(.file(file), to: "https://example.com/")
        upload.method = "PO ST"
        #expect(problem(of: QueuedTransfer(.upload(upload))).contains("method"))
    }

    @Test func `A destination that is not a local file is refused`() {
        let transfer = QueuedTransfer.download("https://example.com/", to: .file(URL(string: "https://example.com/a")!))
        #expect(problem(of: transfer).contains("not a local file"))
    }

    @Test func `An encoded queue entry is decoded unchanged`() throws {
        var download = QueuedDownload("https://example.com/a?b=c", to: .folder(file))
        download.headers = ["Accept": "text/plain"]
        download.existingFile = .number
        download.digest = ContentDigest(.sha256, Data(repeating: 7, count: 32))
        download.maximumSize = 1 << 40
        download.connections = 4
        let parts = [
            QueuedUpload.Part(name: "a\"\n", file: file, filename: "ä.txt", contentType: "text/plain"),
            QueuedUpload.Part(name: "b", file: file),
        ]
        let transfers = [
            QueuedTransfer(.download(download), identifier: "a", priority: .high),
            .download("https://example.com/", to: .file(file)),
            .upload(.file(file), to: "https://example.com/", method: .put),
            .upload(.form(parts), to: "https://example.com/", priority: .low),
        ]
        for transfer in transfers {
            var entry = QueueEntry(transfer, enqueued: Date(timeIntervalSince1970: 1.5))
            entry.end = QueueEntry.End(
                kind: .finished,
                date: Date(timeIntervalSince1970: 2.5),
                result: .response(status: 200, body: Data([1, 2]))
            )
            let data = try QueueFormat.data(entry)
            #expect(QueueFormat.entry(in: data, named: transfer.identifier + ".json") == entry)
            #expect(QueueFormat.entry(in: data, named: "other.json") == nil)
        }
    }
}
