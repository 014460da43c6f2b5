import Foundation
import Sallyport
import SallyportTransfers

/// Copies the files that only one side has, between a folder and a server, in both directions.
@main
struct FileSync {
    private struct RemoteFile: Decodable {
        let name: String
    }

    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: file-sync FOLDER URL")
            exit(2)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        let url = CommandLine.arguments[2]
        let client = HttpClient.createClient()
        let queue = try TransferQueue(folder: folder.appending(path: ".file-sync"), client: client)

        // The queue may contain transfers of an earlier run that was killed.
        try await run(queue)

        let local = try localNames(in: folder)
        let remote = try await remoteNames(at: url, client)
        for name in remote.subtracting(local) {
            let file = folder.appending(path: name)
            try await queue.enqueue(.download("\(url)/\(escaped(name))", to: .file(file)))
        }
        for name in local.subtracting(remote) {
            let file = folder.appending(path: name)
            try await queue.enqueue(.upload(.file(file), to: "\(url)/\(escaped(name))", method: .put))
        }
        let hasFailed = try await run(queue)
        if hasFailed { exit(1) }
    }

    /// Performs the transfers of the queue, then reports and removes them.
    ///
    /// - Returns: `true` if one of them has failed.
    @discardableResult
    private static func run(_ queue: TransferQueue) async throws -> Bool {
        try await queue.runUntilEmpty()
        var hasFailed = false
        for report in try await queue.transfers() where report.state.isEnd {
            switch report.transfer.work {
            case .download(let download): print("\(report.state) download of \(download.url)", report.error ?? "")
            case .upload(let upload): print("\(report.state) upload to \(upload.url)", report.error ?? "")
            }
            hasFailed = hasFailed || report.state != .finished
            try await queue.remove(report.identifier)
        }
        return hasFailed
    }

    private static func localNames(in folder: URL) throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.isRegularFileKey],
            options: .skipsHiddenFiles
        )
        let regular = try files.filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        return Set(regular.map(\.lastPathComponent))
    }

    /// Returns the names in the server's list, without those that would not be files of the folder.
    private static func remoteNames(at url: String, _ client: HttpClient) async throws -> Set<String> {
        let response = try await client.request { request in request.url = url }
        let names = try response.decode([RemoteFile].self).map(\.name)
        return Set(names.filter { !$0.isEmpty && !$0.hasPrefix(".") && !$0.contains("/") })
    }

    private static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    }
}
