import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// Stores the responses of the server.
struct CacheRecorder: Sendable {
    private let storage: any HttpCacheStorage
    private let partition: CachePartition
    private let isSealing: Bool

    init(_ storage: any HttpCacheStorage, partition: CachePartition, isSealing: Bool) {
        self.storage = storage
        self.partition = partition
        self.isSealing = isSealing
    }

    /// Stores a response whose body is in memory, or replaces a streamed body by one that is stored while it is read.
    ///
    /// - Returns: The reason why the response is not stored; `nil` if it is.
    func store(
        _ response: inout HttpResponse,
        _ received: CacheResponse,
        _ variant: CacheVariant,
        _ lookup: CacheLookup,
        in scope: ExchangeScope?
    ) async -> String? {
        if let problem = problem(with: response.request, lookup) { return problem }
        let head = head(of: received, variant, lookup)
        let key = CacheRules.isShared(received.fields, variant) ? lookup.sharedKey : lookup.key
        let length = received.fields[.contentLength].flatMap { Int64($0) }
        do throws(HttpCacheStorageError) {
            let writer = try await storage.begin(head, for: key)
            let recording = BodyRecording(writer, length: length)
            if let scope {
                guard scope.onExit({ await recording.abandon() }) else {
                    await recording.abandon()
                    return "scope"
                }
                response.record(by: recording)
                return nil
            }
            await recording.append(response.receivedBody)
            return await recording.finish() ? nil : "storage"
        } catch {
            return "storage"
        }
    }

    /// Returns the head with which a response is stored.
    func head(of received: CacheResponse, _ variant: CacheVariant, _ lookup: CacheLookup) -> HttpCacheHead {
        HttpCacheHead(
            url: Redaction.text(lookup.target.url),
            variant: variant.digest,
            varyingFields: variant.names,
            status: received.status,
            fields: received.fields.withoutConnectionFields,
            requestTime: received.requestTime,
            responseTime: received.responseTime
        )
    }

    /// Returns the reason why later stages have sent another request than the one by whose key the response would be stored.
    private func problem(with sent: HttpRequest, _ lookup: CacheLookup) -> String? {
        if sent.getMethod() != lookup.request.method || sent.url != lookup.sent.url { return "request-changed" }
        guard case .none = sent.body else { return "sealed" }
        if isSealing, sent.fields != lookup.original.fields { return "sealed" }
        return partition.matches(lookup.original.fields, sent.fields) ? nil : "credentials-added"
    }
}

/// A response that is being stored while its body is read.
private actor BodyRecording {
    private var writer: (any HttpCacheWriter)?
    private let length: Int64?
    private var count: Int64 = 0
    private var isAppending = false

    init(_ writer: any HttpCacheWriter, length: Int64?) {
        self.writer = writer
        self.length = length
    }

    /// Appends bytes to the stored body. If that fails, the response is not stored.
    func append(_ bytes: Data) async {
        // The order of pieces that several tasks read is unknown.
        if isAppending { await abandon() }
        guard let writer else { return }
        isAppending = true
        count += Int64(bytes.count)
        do throws(HttpCacheStorageError) {
            if !bytes.isEmpty { try await writer.append(bytes) }
            isAppending = false
        } catch {
            isAppending = false
            await abandon()
        }
    }

    /// Stores the response if its body is complete.
    ///
    /// - Returns: `false` if the response is not stored.
    func finish() async -> Bool {
        guard let writer, !isAppending, length.map({ $0 == count }) ?? true else {
            await abandon()
            return false
        }
        self.writer = nil
        do throws(HttpCacheStorageError) {
            try await writer.commit()
            return true
        } catch {
            await writer.abandon()
            return false
        }
    }

    /// Discards the response unless it has been stored.
    func abandon() async {
        guard let writer else { return }
        self.writer = nil
        await writer.abandon()
    }
}

/// A body that is stored while it is read.
private struct RecordedBody: ResponseBodySource {
    let source: any ResponseBodySource
    let recording: BodyRecording
    /// A Boolean value that indicates whether the bytes before decoding are stored, which are observed elsewhere.
    let isEncoded: Bool
    /// A Boolean value that indicates whether a task is reading.
    let isReading = Locked(false)

    var trailers: HTTPFields { source.trailers }

    func read() async throws(NetworkError) -> Data? {
        let isConcurrent = isReading.withLock { isReading in
            defer { isReading = true }
            return isReading
        }
        if isConcurrent { await recording.abandon() }
        defer { isReading.withLock { $0 = false } }
        let chunk: Data?
        do throws(NetworkError) {
            chunk = try await source.read()
        } catch {
            await recording.abandon()
            throw error
        }
        if let chunk {
            if !isEncoded { await recording.append(chunk) }
        } else {
            _ = await recording.finish()
        }
        return chunk
    }

    func cancel() { source.cancel() }
}

extension HttpResponse {
    /// The fields as they were received, with those that describe an encoded body.
    var receivedFields: HTTPFields {
        HTTPFields(headers.fields + ((encoded?.fields ?? bodyStream.encoded?.fields) ?? [:]))
    }

    /// The body in memory as it was received.
    fileprivate var receivedBody: Data { encoded?.data ?? body ?? Data() }

    /// Replaces the streamed body by one that is stored while it is read.
    fileprivate mutating func record(by recording: BodyRecording) {
        let stream = bodyStream
        stream.encoded?.observe { chunk in await recording.append(chunk) }
        let source = RecordedBody(source: stream.source, recording: recording, isEncoded: stream.encoded != nil)
        bodyStream = ResponseBody(length: stream.length, isDecoded: stream.isDecoded, source: source)
    }
}
