import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Performs a queue's transfers with a client.
struct ClientRunner: TransferRunner {
    let client: HttpClient
    /// The retry policy within an attempt; `nil` for the default of ``DownloadOptions`` or ``UploadOptions``.
    var retry: RetryPolicy?
    /// The maximum rate of all transfers together; `nil` for no limit.
    var rateLimit: RateLimit?

    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        switch job.transfer.work {
        case .download(let download): try await fetch(download, job, report)
        case .upload(let upload): try await send(upload, job, report)
        }
    }

    func cancelUpload(_ job: TransferJob) async -> Bool {
        let journal = await runBlocking { UploadJournal.entry(at: job.journal) }
        // `UploadResource` refuses a location at another origin than the upload's.
        guard case .upload(let upload) = job.transfer.work, let location = journal?.resource,
            let resource = try? UploadResource(location: location, of: upload.url)
        else { return false }
        return await client.cancelUpload(job.transfer.plainRequest, at: resource)
    }

    private func fetch(
        _ download: QueuedDownload,
        _ job: TransferJob,
        _ report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        guard let staging = job.staging else { throw TransferError(.mismatch("an upload has no file to fetch")) }
        if let complete = try staging.completeFile() { return .fetched(complete) }
        if case .file(let url) = download.destination, download.existingFile != .number {
            try DownloadPaths.checkKind(of: url)
            if download.existingFile == .fail, FileState(url) != nil { throw TransferError(.fileExists(url)) }
        }
        try staging.create()
        // The folder stays empty after a response that is not a file.
        defer { staging.removeIfEmpty() }
        var options = DownloadOptions()
        options.existingFile = .replace
        if case .folder(let folder) = download.destination, download.existingFile == .fail {
            options.finalFolder = folder
        }
        options.digest = download.digest
        options.maximumSize = download.maximumSize
        options.connections = download.connections
        options.rateLimit = rateLimit
        options.retry = retry ?? options.retry
        let transfer = client.download(
            job.transfer.plainRequest,
            to: staging.staged(download.destination),
            options: options,
            identifier: job.transfer.identifier
        )
        return .fetched(try await transfer.value(reporting: report).url)
    }

    private func send(
        _ upload: QueuedUpload,
        _ job: TransferJob,
        _ report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        var options = UploadOptions()
        options.isResumable = upload.isResumable
        options.journal = job.journal
        // If the process ends before the queue records the success, a later one finds in the journal that the server
        // has received everything.
        options.keepsJournal = true
        options.rateLimit = rateLimit
        options.retry = retry ?? options.retry
        let transfer = client.upload(job.uploadRequest(upload), options: options, identifier: job.transfer.identifier)
        let response = try await transfer.value(reporting: report)
        return .uploaded(status: response.status.code, body: response.body ?? Data())
    }
}

extension TransferJob {
    /// Returns the request of an upload, byte for byte the same in all processes.
    func uploadRequest(_ upload: QueuedUpload) -> HttpRequest {
        var request = transfer.plainRequest
        switch upload.content {
        case .file(let file): request.body = .file(file)
        case .form(let parts):
            do throws(NetworkError) {
                var form = try MultipartForm(boundary: "sallyport-\(key)")
                for part in parts { form.append(part) }
                request.multipart(form)
            } catch {
                request.recordProblem(error.failure)
            }
            request.setMethod(upload.method)
        }
        if !IdempotencyKey.isSet(on: request) {
            request.setHeader(name: NetworkConstants.headerIdempotencyKey, value: "\"\(idempotencyKey)\"")
        }
        return request
    }
}

extension MultipartForm {
    fileprivate mutating func append(_ part: QueuedUpload.Part) {
        append(name: part.name, file: part.file, filename: part.filename, contentType: part.contentType)
    }
}

extension Transfer {
    /// Waits for the value of the transfer, and reports its progress meanwhile.
    fileprivate func value(
        reporting report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> Value {
        let outcome = await withTaskGroup(of: Void.self) { group in
            group.addTask { [progress] in
                for await progress in progress { report(progress) }
            }
            return await self.result
        }
        return try outcome.get()
    }
}
