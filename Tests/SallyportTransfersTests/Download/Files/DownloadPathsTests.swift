import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct DownloadPathsTests {
    @Test func `The files of a download are in the folder of its destination`() {
        let paths = DownloadPaths(.file(URL(fileURLWithPath: "/tmp/map.zip")), key: "k")
        #expect(paths.partialFile.path == "/tmp/.map.zip.sallyport")
        #expect(paths.journal.path == "/tmp/.map.zip.sallyport-journal")
        #expect(paths.name == "map.zip")
        let folder = DownloadPaths(.folder(URL(fileURLWithPath: "/tmp", isDirectory: true)), key: "0123456789abcdef0")
        #expect(folder.partialFile.path == "/tmp/.download-0123456789abcdef.sallyport")
        #expect(folder.name == nil)
    }

    @Test func `Long names are shortened and remain unique`() {
        let names = ["a", "b"].map { String(repeating: "ä", count: 120) + $0 }
        let all = names.map { DownloadPaths(.file(URL(fileURLWithPath: "/tmp/\($0)")), key: "k") }
        #expect(Set(all.map(\.partialFile)).count == 2)
        for paths in all { #expect(paths.journal.lastPathComponent.utf8.count <= 255) }
    }

    @Test(arguments: [
        ("map.zip", 1, "map.zip"), ("map.zip", 2, "map (2).zip"), ("map", 3, "map (3)"),
        ("a.tar.gz", 2, "a.tar (2).gz"),
        (".profile", 2, ".profile (2)"),
    ])
    func `Names are numbered before their extension`(name: String, number: Int, numbered: String) {
        #expect(DownloadPaths.numbered(name, number) == numbered)
    }
}
