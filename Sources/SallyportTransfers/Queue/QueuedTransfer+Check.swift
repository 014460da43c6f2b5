import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

extension QueuedTransfer {
    /// The transfer with absolute paths, which do not depend on the working directory of a process.
    package var withAbsolutePaths: QueuedTransfer {
        var transfer = self
        switch work {
        case .download(var download):
            switch download.destination {
            case .file(let url): download.destination = .file(url.absoluteFileURL)
            case .folder(let url): download.destination = .folder(url.absoluteFileURL)
            }
            transfer.work = .download(download)
        case .upload(var upload):
            switch upload.content {
            case .file(let url): upload.content = .file(url.absoluteFileURL)
            case .form(var parts):
                for index in parts.indices { parts[index].file = parts[index].file.absoluteFileURL }
                upload.content = .form(parts)
            }
            transfer.work = .upload(upload)
        }
        return transfer
    }

    /// Checks that the transfer can be stored and performed.
    ///
    /// - Throws: ``TransferError`` for the first problem.
    package func check() throws(TransferError) {
        try Self.check(identifier: identifier)
        guard files.allSatisfy(\.isFileURL) else { throw Self.refused("one of its files is not a local file") }
        let request = plainRequest
        do throws(NetworkError) {
            let head = try request.head()
            for field in head.headerFields where Redaction.containsSecret(field) { throw secretHeaderError(field) }
        } catch {
            throw TransferError(.network(error))
        }
    }

    /// Checks that an identifier is a valid file name in every file system, and not a path.
    ///
    /// - Throws: ``TransferError`` if it is not.
    package static func check(identifier: String) throws(TransferError) {
        guard QueueFormat.isIdentifier(identifier) else {
            throw refused(
                """
                the identifier "\(VisibleText.line(String(identifier.prefix(100))))" is invalid; choose 1 to 100 letters, digits, \
                dots, dashes and underscores, not beginning with a dot
                """
            )
        }
    }

    /// The name of the first header that contains a secret, which must not be stored.
    package var secretHeader: String? {
        guard let head = try? plainRequest.head() else { return nil }
        return head.headerFields.first(where: Redaction.containsSecret)?.name.rawName
    }

    /// Checks that the files that the transfer needs exist.
    ///
    /// - Throws: ``TransferError`` for the first file or folder that does not exist or cannot be read.
    func checkFiles() throws(TransferError) {
        switch work {
        case .download(let download):
            let folder =
                switch download.destination {
                case .file(let url): url.deletingLastPathComponent()
                case .folder(let url): url
                }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw TransferError(.file(folder, "there is no such folder; create it first"))
            }
        case .upload:
            for file in files where !FileManager.default.isReadableFile(atPath: file.path) {
                throw TransferError(.file(file, "cannot be read"))
            }
        }
    }

    /// The request without a body.
    var plainRequest: HttpRequest {
        switch work {
        case .download(let download):
            var request = HttpRequest(url: download.url)
            for (name, value) in download.headers { request.setHeader(name: name, value: value) }
            return request
        case .upload(let upload):
            var request = HttpRequest(url: upload.url)
            request.setMethod(upload.method)
            for (name, value) in upload.headers { request.setHeader(name: name, value: value) }
            return request
        }
    }

    private var files: [URL] {
        switch work {
        case .download(let download):
            switch download.destination {
            case .file(let url), .folder(let url): [url]
            }
        case .upload(let upload):
            switch upload.content {
            case .file(let url): [url]
            case .form(let parts): parts.map(\.file)
            }
        }
    }

    private static func refused(_ problem: String) -> TransferError {
        TransferError(.network(.invalidRequest(NetworkFailure(problem))))
    }

    private func secretHeaderError(_ field: HTTPField) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the header \(field.name.rawName) holds a secret, which a queue must not store on the disk",
                advice: "authorize the queue's client instead, with client.authorized(by:)"
            )
        )
    }
}

extension URL {
    fileprivate var absoluteFileURL: URL { isFileURL ? absoluteURL.standardizedFileURL : self }
}
