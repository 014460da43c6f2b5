import ClientTestSupport
import Foundation
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Names, folders and limits.
@Suite(.concurrencyLimited) struct DownloadDestinationTests {
    private let bytes = pattern(300_000)

    private func write(_ text: String, to folder: URL, _ name: String = "map.zip") throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    @Test func `An existing file is not changed, and no request is sent`() async throws {
        try await withTemporaryDirectory { folder in
            try write("mine", to: folder)
            let (client, transport) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder)))
            guard case .fileExists(let url) = error.reason else { throw error }
            try expectSame(Data(contentsOf: url), Data("mine".utf8))
            #expect(transport.requests.isEmpty)
            #expect(folder.fileNames == ["map.zip"])
        }
    }

    @Test func `An existing file is replaced only when the download is complete`() async throws {
        try await withTemporaryDirectory { folder in
            try write("mine", to: folder)
            let (client, _) = FileServer(bytes, cut(1000)).client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.existingFile = .replace }))
            #expect(error.resumableBytes == 1000)
            #expect(try Data(contentsOf: folder.appendingPathComponent("map.zip")) == Data("mine".utf8))
            let file = try await client.download(to: folder) { $0.existingFile = .replace }.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(folder.fileNames == ["map.zip"])
        }
    }

    @Test func `A new file is numbered if the name exists`() async throws {
        try await withTemporaryDirectory { folder in
            try write("mine", to: folder)
            try write("mine", to: folder, "map (2).zip")
            let (client, _) = FileServer(bytes).client()
            let file = try await client.download(to: folder) { $0.existingFile = .number }.value
            #expect(file.url.lastPathComponent == "map (3).zip")
            #expect(folder.fileNames == ["map (2).zip", "map (3).zip", "map.zip"])
        }
    }

    @Test(arguments: [
        (nil, "map.zip"), ("attachment; filename=\"a b.tar\"", "a b.tar"), ("attachment; filename=\"../../x\"", "x"),
    ])
    func `In a folder, the server's file name is used after being made safe`(disposition: String?, name: String)
        async throws
    {
        try await withTemporaryDirectory { folder in
            let server = FileServer(
                bytes,
                { response in
                    if let disposition { response.headers[.contentDisposition] = disposition }
                    response.fault = .cut(after: 1000)
                }
            )
            let (client, transport) = server.client()
            var options = DownloadOptions()
            options.retry = .never
            let request = makeRequest("https://files.example.com/map.zip?key=secret")
            let error = await failure(of: client.download(request, to: .folder(folder), options: options))
            #expect(error?.resumableBytes == 1000)
            // The second response does not contain the name again.
            let file = try await client.download(request, to: .folder(folder), options: options).value
            #expect(file.url.lastPathComponent == name)
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(folder.fileNames == [name])
            #expect(transport.requests.last?.header("Range") == "bytes=1000-")
        }
    }

    @Test func `The longest server-provided name is shortened to leave space for a number`() async throws {
        try await withTemporaryDirectory { folder in
            let long = String(repeating: "x", count: 251) + ".zip"
            let name: FileServer.Change = { response in
                response.headers[.contentDisposition] = "attachment; filename=\"\(long)\""
            }
            let (client, _) = FileServer(bytes, name, name).client()
            var options = DownloadOptions()
            options.existingFile = .number
            let request = makeRequest("https://files.example.com/map.zip")
            for number in ["", " (2)"] {
                let file = try await client.download(request, to: .folder(folder), options: options).value
                #expect(file.url.lastPathComponent == String(repeating: "x", count: 243) + number + ".zip")
            }
        }
    }

    @Test func `A name in a journal cannot escape from the folder`() async throws {
        try await withTemporaryDirectory { outer in
            let folder = outer.appendingPathComponent("folder", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            var options = DownloadOptions()
            options.retry = .never
            let request = makeRequest("https://files.example.com/map.zip")
            _ = await failure(of: client.download(request, to: .folder(folder), options: options))
            let name = try #require(folder.fileNames.first { $0.hasSuffix("-journal") })
            let journal = folder.appendingPathComponent(name)
            let text = try Data(contentsOf: journal)
            var header = try #require(DownloadJournal(text)?.header)
            header.name = "../escaped"
            let rest = text.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            try (Data(DownloadJournal.line(header).utf8) + rest).write(to: journal)
            let file = try await client.download(request, to: .folder(folder), options: options).value
            #expect(file.fetchedBytes == 200_000)
            #expect(folder.fileNames == ["escaped"])
            #expect(outer.fileNames == ["folder"])
        }
    }

    @Test func `A second download to the same file is refused while the first is running`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 1000) }).client()
            let first = client.download(to: folder)
            for await progress in first.progress where progress.completedBytes == 1000 { break }
            let error = try #require(await failure(of: client.download(to: folder)))
            guard case .inUse = error.reason else { throw error }
            #expect(error.partialFile == nil)
            first.cancel()
            #expect(await failure(of: first)?.resumableBytes == 1000)
            #expect(try await client.download(to: folder).value.fetchedBytes == 299_000)
        }
    }

    @Test func `A missing or invalid destination folder is an error before a request is sent`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, transport) = FileServer(bytes).client()
            try write("a file", to: folder, "file")
            for name in ["none", "file"] {
                let error = try #require(await failure(of: client.download(to: folder.appendingPathComponent(name))))
                guard case .file(_, let problem) = error.reason else { throw error }
                #expect(problem.contains("folder"))
            }
            #expect(transport.requests.isEmpty)
        }
    }

    /// Downloads from a scripted server to a folder, and replaces existing files.
    private func replacing(_ server: ScriptedServer, _ path: String, _ folder: URL) async throws -> TransferError? {
        var options = DownloadOptions()
        options.existingFile = .replace
        let client = HttpClient.createClient { $0.redirects = .follow(limit: 3) }
        defer { client.close() }
        let request = makeRequest("http://\(server.authority)/\(path)")
        return await failure(of: client.download(request, to: .folder(folder), options: options))
    }

    @Test(arguments: [
        ("map.zip", "Content-Disposition: attachment; filename=\"Makefile\""), ("map.zip", "Location: /Makefile"),
        ("map.zip?name=Makefile", "Content-Disposition: attachment; filename=Makefile"),
        ("", "Content-Disposition: attachment; filename=Makefile"), ("Makefile/", "Location: /get/Makefile.am"),
    ])
    func `A file with a name that the server chooses is not replaced`(path: String, field: String) async throws {
        try await withTemporaryDirectory { folder in
            for name in ["Makefile", "Makefile.am"] { try write("mine", to: folder, name) }
            let file: Script = [.receiveHead, .head("200 OK", "Content-Length: 3", field), .send("new")]
            let redirect: Script = [.receiveHead, .head("302 Found", "Content-Length: 0", field)]
            let scripts = field.hasPrefix("Location") ? [redirect + file] : [file]
            try await withScriptedServer(scripts) { server in
                let error = try #require(try await replacing(server, path, folder))
                guard case .fileExists(let url) = error.reason else { throw error }
                #expect(url.lastPathComponent.hasPrefix("Makefile"))
                for name in ["Makefile", "Makefile.am"] {
                    #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == Data("mine".utf8))
                }
            }
        }
    }

    @Test(arguments: [
        ("map.zip", "Content-Disposition: attachment; filename=\"map.zip\""), ("map.zip?a=b", "X-None: 1"),
        ("a/map%2Ezip", "X-None: 1"),
    ])
    func `A file with the name at the end of the requested URL is replaced`(path: String, field: String) async throws {
        try await withTemporaryDirectory { folder in
            try write("mine", to: folder)
            let file: Script = [.receiveHead, .head("200 OK", "Content-Length: 3", field), .send("new")]
            try await withScriptedServer([file]) { server in
                let error = try await replacing(server, path, folder)
                #expect(error == nil)
                #expect(try Data(contentsOf: folder.appendingPathComponent("map.zip")) == Data("new".utf8))
                #expect(folder.fileNames == ["map.zip"])
            }
        }
    }

    @Test func `A folder cannot be replaced by a file`() async throws {
        try await withTemporaryDirectory { folder in
            let taken = folder.appendingPathComponent("map.zip")
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
            let (client, _) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.existingFile = .replace }))
            guard case .file(let url, let problem) = error.reason else { throw error }
            #expect(url.lastPathComponent == "map.zip")
            #expect(problem == "a folder cannot be replaced by a file")
        }
    }

    @Test(arguments: [DownloadOptions.ExistingFile.fail, .replace], [true, false])
    func `A pipe is not replaced, also through a link, and no request is sent`(
        existing: DownloadOptions.ExistingFile,
        isLink: Bool
    ) async throws {
        try await withTemporaryDirectory { folder in
            let taken = folder.appendingPathComponent("map.zip")
            let pipe = isLink ? folder.appendingPathComponent("pipe") : taken
            try #require(mkfifo(pipe.path, 0o600) == 0)
            if isLink { try FileManager.default.createSymbolicLink(at: taken, withDestinationURL: pipe) }
            let (client, transport) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.existingFile = existing }))
            guard case .file(let url, let problem) = error.reason else { throw error }
            #expect(url.lastPathComponent == "map.zip")
            #expect(problem == "it is not a regular file, so a download cannot replace it")
            #expect(transport.requests.isEmpty)
            #expect(folder.fileNames == (isLink ? ["map.zip", "pipe"] : ["map.zip"]))
        }
    }

    @Test(arguments: [0o600, 0o640, 0o755])
    func `A file that replaces another one keeps its permissions, and is not more accessible before`(mode: Int)
        async throws
    {
        try await withTemporaryDirectory { folder in
            try write("mine", to: folder)
            let replaced = folder.appendingPathComponent("map.zip")
            try #require(chmod(replaced.path, mode_t(mode)) == 0)
            let (client, _) = FileServer(bytes, cut(1000)).client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.existingFile = .replace }))
            #expect(error.resumableBytes == 1000)
            let partial = try #require(DownloadPaths.permissions(of: partialFile(in: folder)))
            #expect(Int(partial) & ~mode == 0)
            let file = try await client.download(to: folder) { $0.existingFile = .replace }.value
            #expect(DownloadPaths.permissions(of: file.url) == mode_t(mode))
            try expectSame(Data(contentsOf: file.url), Data(bytes))
        }
    }

    @Test func `Removing the folder during a download is an error, and no partial file is reported`() async throws {
        try await withTemporaryDirectory { outer in
            let folder = outer.appendingPathComponent("folder", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 1000) }).client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 1000 { break }
            try FileManager.default.removeItem(at: folder)
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            transfer.resume()
            let error = try #require(await failure(of: transfer))
            guard case .file(_, let problem) = error.reason else { throw error }
            #expect(problem.contains("it was removed or replaced by another file; start the download again"))
            #expect(error.partialFile == nil)
        }
    }

    @Test func `A symbolic link at the path of the partial file is not followed`() async throws {
        try await withTemporaryDirectory { folder in
            try write("precious", to: folder, "other")
            try FileManager.default.createSymbolicLink(
                at: partialFile(in: folder),
                withDestinationURL: folder.appendingPathComponent("other")
            )
            let (client, _) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder)))
            guard case .file(let url, let problem) = error.reason else { throw error }
            #expect(url.lastPathComponent == ".map.zip.sallyport")
            #expect(problem == "cannot be opened: it is a symbolic link")
            #expect(try Data(contentsOf: folder.appendingPathComponent("other")) == Data("precious".utf8))
        }
    }

    @Test func `A file that exceeds the maximum size is refused, with or without a known length`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes).client()
            // Outside the macro: a closure inside could be confused with another one outside (Swift 6.3.1).
            let tooLarge = client.download(to: folder) { $0.maximumSize = 299_999 }
            let error = try #require(await failure(of: tooLarge))
            guard case .network(.responseTooLarge) = error.reason else { throw error }
            #expect(folder.fileNames.isEmpty)
            _ = try await client.download(to: folder) { $0.maximumSize = 300_000 }.value
        }
        try await withTemporaryDirectory { folder in
            let script: Script = [
                .receiveRequest, .head("200 OK", "Transfer-Encoding: chunked"),
                .send("5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n"),
            ]
            try await withScriptedServer([script]) { server in
                let error = try #require(await failure(of: download(from: server, to: folder) { $0.maximumSize = 9 }))
                guard case .network(.responseTooLarge) = error.reason else { throw error }
                #expect(folder.fileNames.isEmpty)
            }
        }
    }

    @Test func `A partial file of a larger limit is refused by a download with a smaller one`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, cut(1000)).client()
            _ = await failure(of: client.download(to: folder))
            let (later, transport) = FileServer(bytes).client()
            let error = try #require(await failure(of: later.download(to: folder) { $0.maximumSize = 299_999 }))
            guard case .network(.responseTooLarge) = error.reason else { throw error }
            #expect(error.resumableBytes == 1000)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `A download with a method other than GET or with a Range field is refused`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, transport) = FileServer(bytes).client()
            let destination = DownloadDestination.file(folder.appendingPathComponent("a"))
            for change in [{ $0.setMethod(.post) }, { $0.setHeader(name: "Range", value: "bytes=0-1") }]
                as [(inout HttpRequest) -> Void]
            {
                let request = makeRequest("https://files.example.com/a", change)
                let error = try #require(await failure(of: client.download(request, to: destination)))
                guard case .network(.invalidRequest) = error.reason else { throw error }
            }
            #expect(transport.requests.isEmpty)
        }
    }
}
