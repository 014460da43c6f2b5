import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// Stores the responses of the server.
struct CacheRecorder: Sendable {
    private let storage: any HttpCacheStorage
    private let partition: CachePartition
    private let isSealing: Bool
    /// A Boolean value that indicates whether bodies are stored as they were before decoding, because they can be decoded again.
    private let storesEncoded: Bool

    init(_ storage: any HttpCacheStorage, partition: CachePartition, isSealing: Bool, storesEncoded: Bool) {
        self.storage = storage
        self.partition = partition
        self.isSealing = isSealing
        self.storesEncoded = storesEncoded
    }

    /// Returns the fields of a response that describe the body as it is stored: before decoding if possible.
    func fields(of response: HttpResponse) -> HTTPFields {
        let fields = response.headers.fields
        if storesEncoded, let encoded = response.encoded?.fields ?? response.bodyStream.encoded?.fields {
            return HTTPFields(fields + encoded)
        }
        return response.bodyStream.isDecoded ? fields.describingDecodedBody : fields
    }

    /// Stores a response with a body in memory, or replaces a streamed body by one that is stored while it is read.
    ///
    /// - Parameters:
    ///   - head: The head that is stored with the body.
    ///   - request: The request that the cache has passed on.
    ///   - isValid: A closure that returns `false` if the resource was invalidated after the request was sent.
    ///   - onFailure: A closure that is called if the storage cannot store the response, for example because it is too long.
    /// - Returns: The reason why the response is not stored; `nil` if it is.
    func store(
        _ response: inout HttpResponse,
        _ head: HttpCacheHead,
        key: HttpCacheKey,
        to request: HttpRequest,
        in scope: ExchangeScope?,
        isValid: @Sendable () -> Bool,
        onFailure: @escaping @Sendable () async -> Void
    ) async -> String? {
        if let problem = problem(with: response.request, request, varying: head.varyingFields) { return problem }
        // Its partition would never be used again. Responses that all users share are.
        if key.partition != CachePartition.shared, partition.hasOneTimeCredentials(request.fields) {
            return "one-time-credentials"
        }
        if response.isCut { return "incomplete" }
        let bytes = (storesEncoded ? response.encoded?.data : nil) ?? response.body
        // A later stage has replaced the body that was collected by a stream, which the app reads without a scope.
        if scope == nil, bytes == nil { return "streamed" }
        do throws(HttpCacheStorageError) {
            let writer = try await storage.begin(head, for: key)
            // Later invalidations discard the writer.
            guard isValid() else {
                await writer.abandon()
                return "invalidated"
            }
            let length = head.fields[.contentLength].flatMap { Int64($0) }
            let recording = BodyRecording(writer, length: length, onFailure: onFailure)
            if let scope {
                guard scope.onExit({ await recording.abandon() }) else {
                    await recording.abandon()
                    return "scope"
                }
                response.record(by: recording, isEncoded: storesEncoded)
                return nil
            }
            await recording.append(bytes ?? Data())
            return await recording.finish() ? nil : "storage"
        } catch {
            if error == .invalidated { return "invalidated" }
            await onFailure()
            return "storage"
        }
    }

    /// Returns the reason why later stages have sent another request than the one that the cache has passed on.
    ///
    /// - Parameter names: The names of the request fields that select the response.
    func problem(with sent: HttpRequest, _ request: HttpRequest, varying names: [String]) -> String? {
        guard case .none = sent.body else { return "sealed" }
        if isSealing, sent.fields != request.fields { return "sealed" }
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        if sent.getMethod() != request.getMethod() || sent.url != target?.url { return "request-changed" }
        // The transport adds Accept-Encoding.
        let isVariantChanged = names.compactMap { HTTPField.Name($0) }.contains { name in
            name != .acceptEncoding && sent.fields[values: name] != request.fields[values: name]
        }
        if isVariantChanged { return "request-changed" }
        return partition.matches(request.fields, sent.fields) ? nil : "credentials-added"
    }
}

/// A response that is being stored while its body is read.
private actor BodyRecording {
    private var writer: (any HttpCacheWriter)?
    private let length: Int64?
    private var count: Int64 = 0
    private var isAppending = false
    private let onFailure: @Sendable () async -> Void

    /// - Parameter onFailure: A closure that is called if the storage fails.
    init(_ writer: any HttpCacheWriter, length: Int64?, onFailure: @escaping @Sendable () async -> Void) {
        self.writer = writer
        self.length = length
        self.onFailure = onFailure
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
            await onFailure()
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
            await onFailure()
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
    /// A Boolean value that indicates whether the body is stored as it was before decoding, so that this source does not record it.
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

    var isReceived: Bool { source.isReceived }

    func cancel() { source.cancel() }
}

extension HttpResponse {
    /// Replaces the streamed body by one that is stored while it is read, before decoding if possible.
    fileprivate mutating func record(by recording: BodyRecording, isEncoded: Bool) {
        let stream = bodyStream
        let encoded = isEncoded ? stream.encoded : nil
        encoded?.observe { chunk in await recording.append(chunk) }
        let source = RecordedBody(source: stream.source, recording: recording, isEncoded: encoded != nil)
        bodyStream = ResponseBody(length: stream.length, isDecoded: stream.isDecoded, source: source)
    }
}

extension HTTPFields {
    /// The fields with which a body is stored that only a decoder has seen in its encoded form: without digests of that form, and with a
    /// tag that does not identify bytes. The server would send a range of the encoded body, so the cache provides none.
    fileprivate var describingDecodedBody: HTTPFields {
        let digests: Set = ["content-digest", "content-md5", "digest", "repr-digest"]
        var fields = HTTPFields(filter { !digests.contains($0.name.canonicalName) })
        if let tag = fields[.eTag], !tag.hasPrefix("W/") { fields[.eTag] = "W/" + tag }
        fields[.acceptRanges] = "none"
        return fields
    }
}
