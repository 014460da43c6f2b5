import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// Partial files and journals that somebody else has had in hand.
@Suite struct PartialFileTests {
    private func journal(in folder: URL) -> URL { folder.appendingPathComponent(".map.zip.sallyport-journal") }

    @Test func `A partial file or journal with a second name is left to that name, and begun anew`() async throws {
        let bytes = pattern(300_000)
        for name in [".map.zip.sallyport", ".map.zip.sallyport-journal"] {
            try await withTemporaryDirectory { folder in
                let other = folder.appendingPathComponent("other")
                try Data("precious".utf8).write(to: other)
                try FileManager.default.linkItem(at: other, to: folder.appendingPathComponent(name))
                let (client, _) = FileServer(bytes).client()
                let file = try await client.download(to: folder).value
                #expect(try Data(contentsOf: file.url) == Data(bytes))
                #expect(try Data(contentsOf: other) == Data("precious".utf8))
                #expect(folder.fileNames == ["map.zip", "other"])
            }
        }
    }
}
