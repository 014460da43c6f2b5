import Foundation
import Sallyport
import SallyportGateway

extension DemoStep {
    static let killedDownload = DemoStep(title: "Download, killed and finished") { stage in
        let content = DemoStage.bytes(8 << 20)
        try await stage.keep(content, as: "map.bin")
        let file = stage.folder.appendingPathComponent("map.bin")
        // So slow that there is time to kill it.
        let path = "/files/map.bin?rate=\(16 << 20)"
        let fetched = try await stage.killDownload(of: path, to: file, after: content.count / 2)
        let finished = try await stage.download(path, to: file)
        try require(try Data(contentsOf: file) == content, "the file to be the server's")
        try require(finished.fetchedBytes < content.count, "less to be fetched than the whole file")
        return "a process was killed at \(Format.size(fetched)); the next fetched the other "
            + "\(Format.size(finished.fetchedBytes)), and the file is right"
    }

    static let changedFile = DemoStep(title: "File changed on the server") { stage in
        try await stage.keep(DemoStage.bytes(4 << 20), as: "plan.bin")
        let file = stage.folder.appendingPathComponent("plan.bin")
        do {
            _ = try await stage.download("/files/plan.bin?cut=\(2 << 20)", to: file)
            throw DemoMismatch(description: "expected the connection to break")
        } catch let error as TransferError {
            try require(error.keptBytes > 0, "what had come to be kept")
        }
        let newer = DemoStage.bytes(3 << 20)
        try await stage.keep(newer, as: "plan.bin")
        let whole = try await stage.download("/files/plan.bin?cut=\(2 << 20)", to: file)
        try require(try Data(contentsOf: file) == newer, "the file to be the newer one")
        return "half of the old file was there; the new one was fetched whole, \(Format.size(whole.length))"
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
        return "\(names) arrived under one key, with \(reports) reports on the way"
    }
}

/// What the server says of a form.
private struct DemoForm: Decodable {
    struct Part: Decodable {
        let filename: String?
        let length: Int
    }

    let parts: [Part]
}

extension DemoStage {
    /// Bytes that no two steps have in common.
    fileprivate static func bytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count / 8).flatMap { _ in withUnsafeBytes(of: generator.next() as UInt64, Array.init) })
    }

    /// Puts a file on the server.
    fileprivate func keep(_ content: Data, as name: String) async throws {
        let response = try await client.request { request in
            request.url = baseURL + "/files/\(name)"
            request.put(contentType: NetworkConstants.contentTypeBinary, body: content)
        }
        try require(response.status.isSuccess(), "the file to be kept, not \(response.status)")
    }

    /// Downloads a file, going on from what is there of it.
    fileprivate func download(_ path: String, to file: URL) async throws -> DownloadedFile {
        var options = DownloadOptions()
        options.retry = .never
        return try await client.download(to: .file(file), options: options) { $0.url = baseURL + path }.value
    }

    /// Has another process of this command download a file, and kills it on the way.
    ///
    /// - Returns: How many bytes it had fetched.
    fileprivate func killDownload(of path: String, to file: URL, after count: Int) async throws -> Int64 {
        let authority = folder.appendingPathComponent("authority.pem")
        try Data(authorityPEM.utf8).write(to: authority)
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["download", baseURL + path, file.path, "--cacert", authority.path, "--quiet"]
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        let deadline = ContinuousClock.now + .seconds(20)
        while bytes(beside: file) < count {
            try require(process.isRunning && .now < deadline, "a download to be under way")
            try await Task.sleep(for: .milliseconds(5))
        }
        kill(process.processIdentifier, SIGKILL)
        try await BlockingCall.run { process.waitUntilExit() }
        return Int64(bytes(beside: file))
    }

    /// How much of a file is there that is not yet whole.
    private func bytes(beside file: URL) -> Int {
        let partial = file.deletingLastPathComponent().appendingPathComponent(".\(file.lastPathComponent).sallyport")
        return (try? FileManager.default.attributesOfItem(atPath: partial.path)[.size] as? Int) ?? 0
    }
}
