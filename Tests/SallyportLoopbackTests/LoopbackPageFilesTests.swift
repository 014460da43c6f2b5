#if os(Linux) || os(macOS)
import Foundation
import SallyportLoopback
import TestSupport
import Testing

import SallyportOAuth

@testable import SallyportLoopback

/// Writes the pages of the loopback listener to files for `Tests/RealServers/page-screenshots.py`.
@Suite(.concurrencyLimited) struct LoopbackPageFilesTests {
    private static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PAGES"]

    @Test(.enabled(if: folder != nil, "set SALLYPORT_PAGES to a folder"))
    func `The pages are written to files`() throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for reply in [LoopbackServer.Response.accepted, .unexpected, .notFound] {
            let file = folder.appendingPathComponent("loopback-\(reply)")
            try Data(reply.page.utf8).write(to: file.appendingPathExtension("html"))
            let policy = try #require(reply.headers["Content-Security-Policy"].first)
            try Data(policy.utf8).write(to: file.appendingPathExtension("policy"))
        }
    }
}
#endif
