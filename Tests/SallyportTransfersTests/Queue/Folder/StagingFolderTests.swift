import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct StagingFolderTests {
    /// A file system without hard links.
    private static let withoutLinks: StagingFolder.Link = { _, _ in
        errno = EPERM
        return -1
    }

    private static let withLinks: StagingFolder.Link = { Foundation.link($0, $1) }

    /// Runs a closure with a folder in which `.staging/file` is complete.
    private func withStaging(_ body: (_ folder: URL, _ staging: URL, _ file: URL) throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let staging = folder.appendingPathComponent(".staging", isDirectory: true)
            try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: false)
            let file = staging.appendingPathComponent("file")
            try Data("new".utf8).write(to: file)
            try body(folder, staging, file)
        }
    }

    private func download(_ folder: URL, _ existing: DownloadOptions.ExistingFile) -> QueuedDownload {
        var download = QueuedDownload("https://example.com/", to: .file(folder.appendingPathComponent("map.zip")))
        download.existingFile = existing
        return download
    }

    private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    @Test(arguments: [true, false])
    func `Installing a file again after a process was killed returns the same file`(hasLinks: Bool) async throws {
        try await withStaging { folder, staging, file in
            let link = hasLinks ? Self.withLinks : Self.withoutLinks
            for existing in [DownloadOptions.ExistingFile.fail, .replace, .number] {
                // The second time is that of another process, which finds the transfer unfinished.
                for _ in 1...2 {
                    let staged = StagingFolder(at: staging, link: link)
                    let complete = try #require(try staged.completeFile())
                    let installed = try staged.install(complete, for: download(folder, existing))
                    #expect(installed.path == folder.appendingPathComponent("map.zip").path)
                    #expect(try text(installed) == "new")
                }
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [".staging", "map.zip"]
            )
        }
    }

    @Test(arguments: [true, false])
    func `An existing file stops, is replaced by or stays beside the new one, also when installing again`(
        hasLinks: Bool
    ) async throws {
        let link = hasLinks ? Self.withLinks : Self.withoutLinks
        for existing in [DownloadOptions.ExistingFile.fail, .replace, .number] {
            try await withStaging { folder, staging, file in
                try Data("old".utf8).write(to: folder.appendingPathComponent("map.zip"))
                try Data("old 2".utf8).write(to: folder.appendingPathComponent("map (2).zip"))
                for _ in 1...2 {
                    let staged = StagingFolder(at: staging, link: link)
                    let complete = try #require(try staged.completeFile())
                    let target = download(folder, existing)
                    switch existing {
                    case .fail:
                        expectError(\TransferError.kind, "fileExists") { try staged.install(complete, for: target) }
                        #expect(try text(folder.appendingPathComponent("map.zip")) == "old")
                        #expect(try text(file) == "new")
                    case .replace:
                        #expect(try text(try staged.install(complete, for: target)) == "new")
                        #expect(try text(folder.appendingPathComponent("map.zip")) == "new")
                    case .number:
                        let installed = try staged.install(complete, for: target)
                        #expect(installed.lastPathComponent == "map (3).zip")
                        #expect(try text(installed) == "new")
                    }
                }
                let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
                #expect(count == (existing == .number ? 4 : 3))
            }
        }
    }

    @Test func `In a folder, only a file with the name in the URL is replaced`() async throws {
        for (url, isReplaced) in [("https://example.com/file?a=b", true), ("https://example.com/other", false)] {
            try await withStaging { folder, staging, file in
                try Data("old".utf8).write(to: folder.appendingPathComponent("file"))
                var download = QueuedDownload(url, to: .folder(folder))
                download.existingFile = .replace
                if isReplaced {
                    #expect(try text(try StagingFolder(at: staging).install(file, for: download)) == "new")
                } else {
                    expectError(\TransferError.kind, "fileExists") {
                        try StagingFolder(at: staging).install(file, for: download)
                    }
                    #expect(try text(folder.appendingPathComponent("file")) == "old")
                }
            }
        }
    }

    @Test func `A replaced file keeps its permissions, and a pipe is not replaced`() async throws {
        try await withStaging { folder, staging, file in
            let taken = folder.appendingPathComponent("map.zip")
            try #require(mkfifo(taken.path, 0o600) == 0)
            expectError(\TransferError.kind, "file") {
                try StagingFolder(at: staging).install(file, for: download(folder, .replace))
            }
            #expect(try text(file) == "new")
            try #require(unlink(taken.path) == 0)
            try Data("old".utf8).write(to: taken)
            try #require(chmod(taken.path, 0o600) == 0)
            let installed = try StagingFolder(at: staging).install(file, for: download(folder, .replace))
            #expect(try text(installed) == "new")
            #expect(DownloadPaths.permissions(of: installed) == 0o600)
        }
    }

    @Test func `A name that a folder has is refused, and the staged file is retained`() async throws {
        try await withStaging { folder, staging, file in
            let taken = folder.appendingPathComponent("map.zip/a", isDirectory: true)
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: true)
            expectError(\TransferError.kind, "file") {
                try StagingFolder(at: staging).install(file, for: download(folder, .replace))
            }
            #expect(try text(file) == "new")
        }
    }

    @Test func `An incomplete file is not installed`() async throws {
        try await withStaging { folder, staging, file in
            try FileManager.default.moveItem(at: file, to: staging.appendingPathComponent(".file.sallyport"))
            #expect(try StagingFolder(at: staging).completeFile() == nil)
            #expect(try StagingFolder(at: folder.appendingPathComponent("missing")).completeFile() == nil)
        }
    }

    @Test func `A file installed in a folder retains its staged name`() async throws {
        try await withStaging { folder, staging, file in
            let installed = try StagingFolder(at: staging).install(
                file,
                for: QueuedDownload("https://a/", to: .folder(folder))
            )
            #expect(installed.path == folder.appendingPathComponent("file").path)
        }
    }
}
