import Foundation
import Sallyport
import SallyportGateway
import SallyportStorage
import SallyportTransfers

extension DemoStep {
    static let killedDownload = DemoStep(title: "Download, killed and resumed") { stage in
        let content = DemoStage.bytes(8 << 20)
        try await stage.store(content, as: "map.bin")
        let file = stage.folder.appendingPathComponent("map.bin")
        // Slow enough to kill the process before the end.
        let path = "/files/map.bin?rate=\(16 << 20)"
        let fetched = try await stage.killDownload(of: path, to: file, after: content.count / 2)
        let finished = try await stage.download(path, to: file)
        try require(try Data(contentsOf: file) == content, "the file to be the server's")
        try require(finished.fetchedBytes < content.count, "only a part of the file to be downloaded")
        return "a process was killed after \(Format.size(fetched)); the next one downloaded the other "
            + "\(Format.size(finished.fetchedBytes)), and the file is correct"
    }

    static let changedFile = DemoStep(title: "File changed on the server") { stage in
        try await stage.store(DemoStage.bytes(4 << 20), as: "plan.bin")
        let file = stage.folder.appendingPathComponent("plan.bin")
        do {
            _ = try await stage.download("/files/plan.bin?cut=\(2 << 20)", to: file)
            throw DemoMismatch(description: "expected the connection to break")
        } catch let error as TransferError {
            try require(error.resumableBytes > 0, "a partial file to be stored")
        }
        let newer = DemoStage.bytes(3 << 20)
        try await stage.store(newer, as: "plan.bin")
        let complete = try await stage.download("/files/plan.bin?cut=\(2 << 20)", to: file)
        try require(try Data(contentsOf: file) == newer, "the file to be the newer one")
        return "half of the old file was stored; the new one was downloaded completely, \(Format.size(complete.length))"
    }

    static let upload = DemoStep(title: "Upload of two files") { stage in
        var form = MultipartForm()
        for (name, size) in [("first", 3 << 20), ("second", 5 << 20)] {
            let file = stage.folder.appendingPathComponent("\(name).jpg")
            try DemoStage.bytes(size).write(to: file)
            form.append(name: "photo", file: file)
        }
        let transfer = stage.client.upload { [form] request in
            request.url = stage.baseURL + "/multipart"
            request.multipart(form)
        }
        var reports = 0
        for await _ in transfer.progress { reports += 1 }
        let received = try await transfer.value.decode(DemoForm.self).parts
        try require(received.map(\.length) == [3 << 20, 5 << 20], "both files to arrive")
        let names = received.map { $0.filename ?? "" }.joined(separator: " and ")
        return "\(names) arrived under one key, with \(reports) progress reports"
    }
}

extension DemoStage {
    /// Stores a file on the server.
    fileprivate func store(_ content: Data, as name: String) async throws {
        let response = try await client.request { request in
            request.url = baseURL + "/files/\(name)"
            request.put(contentType: NetworkConstants.contentTypeBinary, body: content)
        }
        try require(response.status.isSuccess(), "the file to be stored, not \(response.status)")
    }

    /// Downloads a file, and resumes from a partial file if there is one.
    fileprivate func download(_ path: String, to file: URL) async throws -> DownloadedFile {
        var options = DownloadOptions()
        options.retry = .never
        return try await client.download(to: .file(file), options: options) { $0.url = baseURL + path }.value
    }

    /// Starts another process of this command that downloads a file, and kills it before the end.
    ///
    /// - Returns: The number of bytes in the partial file.
    fileprivate func killDownload(of path: String, to file: URL, after count: Int) async throws -> Int64 {
        let authority = try authorityFile()
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["download", baseURL + path, file.path, "--cacert", authority.path, "--quiet"]
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        let deadline = ContinuousClock.now + .seconds(20)
        while bytes(beside: file) < count {
            try require(process.isRunning && .now < deadline, "the download to be running")
            try await Task.sleep(for: .milliseconds(5))
        }
        kill(process.processIdentifier, SIGKILL)
        try await runAbandonable { process.waitUntilExit() }
        return Int64(bytes(beside: file))
    }

    /// Returns the length of the partial file of a download.
    private func bytes(beside file: URL) -> Int {
        let partial = file.deletingLastPathComponent().appendingPathComponent(".\(file.lastPathComponent).sallyport")
        return (try? FileManager.default.attributesOfItem(atPath: partial.path)[.size] as? Int) ?? 0
    }
}
