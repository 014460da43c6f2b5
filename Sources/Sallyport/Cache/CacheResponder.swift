import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// Creates responses from stored ones.
struct CacheResponder: Sendable {
    private let storage: any HttpCacheStorage
    private let decoder: (any DecodingTransport)?
    private let maximumBodySize: Int

    init(_ storage: any HttpCacheStorage, decoder: (any DecodingTransport)?, maximumBodySize: Int) {
        self.storage = storage
        self.decoder = decoder
        self.maximumBodySize = maximumBodySize
    }

    /// Returns a stored response; `nil` if it cannot be read.
    ///
    /// - Parameter scope: The scope for streaming the body; `nil` to collect it.
    /// - Throws: ``NetworkError/responseTooLarge(_:)`` or ``NetworkError/undecodableBody(_:)`` for a body that is collected.
    func respond(
        with reuse: CacheReuse,
        to lookup: CacheLookup,
        in scope: ExchangeScope?
    ) async throws(NetworkError) -> HttpResponse? {
        let head = Self.head(of: reuse)
        if reuse.form == .notModified || lookup.request.method == .head {
            return HttpResponse(TransportResponse(head: head), to: lookup.sent).withBody(Data())
        }
        guard let reader = await open(reuse.entry) else { return nil }
        var range = 0..<reuse.entry.bodyLength
        if case .part(let part) = reuse.form {
            let start = reuse.entry.part?.range.lowerBound ?? 0
            range = (part.lowerBound - start)..<(part.upperBound - start)
        }
        let body = ResponseBody(
            length: range.upperBound - range.lowerBound,
            source: storedBody(of: reuse.entry, reader, range)
        )
        do throws(NetworkError) {
            var response = TransportResponse(head: head, body: body)
            if let decoder { response = try decoder.decode(response, to: lookup.original.fields) }
            if let scope {
                guard scope.onExit({ reader.close() }) else { throw .cancelled("the scope of the call has ended") }
                return HttpResponse(response, to: lookup.sent)
            }
            let collected = try await HttpResponse(response, to: lookup.sent).collected(upTo: maximumBodySize)
            reader.close()
            return collected
        } catch {
            reader.close()
            guard error.failure.underlying is HttpCacheStorageError else { throw error }
            return nil
        }
    }

    /// Returns a stored part with the rest that the server has sent; `nil` if the part cannot be read.
    ///
    /// - Parameters:
    ///   - head: The head of the combined response.
    ///   - scope: The scope for streaming the body; `nil` to collect it.
    func combine(
        _ beginning: HttpCacheEntry,
        _ rest: HttpResponse,
        _ head: HttpCacheHead,
        in scope: ExchangeScope?
    ) async throws(NetworkError) -> HttpResponse? {
        guard let part = beginning.part, let reader = await open(beginning) else { return nil }
        let source = CombinedBody(
            storedBody(of: beginning, reader, 0..<beginning.bodyLength),
            rest.bodyStream.source,
            length: part.total - part.range.upperBound
        )
        let response = TransportResponse(
            head: HTTPResponse(status: HttpStatus(code: head.status), headerFields: head.fields),
            body: ResponseBody(length: part.total, source: source)
        )
        if let scope {
            guard scope.onExit({ reader.close() }) else { throw .cancelled("the scope of the call has ended") }
            return HttpResponse(response, to: rest.request)
        }
        defer { reader.close() }
        do throws(NetworkError) {
            return try await HttpResponse(response, to: rest.request).collected(upTo: maximumBodySize)
        } catch {
            guard error.failure.underlying is HttpCacheStorageError else { throw error }
            return nil
        }
    }

    private func open(_ entry: HttpCacheEntry) async -> (any HttpCacheReader)? {
        do throws(HttpCacheStorageError) {
            return try await storage.open(entry)
        } catch {
            return nil
        }
    }

    /// Returns the body of a stored response. If the body cannot be read, the response is removed.
    private func storedBody(
        of entry: HttpCacheEntry,
        _ reader: any HttpCacheReader,
        _ range: Range<Int64>
    ) -> StoredBody {
        StoredBody(reader, range) { [storage] in
            do throws(HttpCacheStorageError) { try await storage.remove(entry) } catch {}
        }
    }

    /// Returns the head of a response that is created from a stored one, with its current age (RFC 9111, section 5.1).
    private static func head(of reuse: CacheReuse) -> HTTPResponse {
        var fields = reuse.entry.head.fields
        for name in reuse.omittedFields { fields[name] = nil }
        fields[.age] = String(reuse.freshness.age)
        switch reuse.form {
        case .complete:
            return HTTPResponse(status: HttpStatus(code: reuse.entry.head.status), headerFields: fields)
        case .notModified:
            // The app has the fields that describe the body (RFC 9110, section 15.4.5).
            let kept: Set<HTTPField.Name> = [
                .age, .cacheControl, .contentLocation, .date, .eTag, .expires, .lastModified, .vary,
            ]
            return HTTPResponse(status: .notModified, headerFields: fields.filter { kept.contains($0.name) })
        case .part(let range):
            fields[.contentLength] = String(range.count)
            let total = reuse.entry.part?.total ?? reuse.entry.bodyLength
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            return HTTPResponse(status: .partialContent, headerFields: fields)
        }
    }
}

/// A stored body, or a part of it.
private struct StoredBody: ResponseBodySource {
    private static let pieceSize: Int64 = 256 << 10

    private let reader: any HttpCacheReader
    private let end: Int64
    /// The position of the next byte; `nil` after the body has been cancelled.
    private let position: Locked<Int64?>
    private let remove: @Sendable () async -> Void
    /// Tasks that read at the same time receive different pieces.
    private let reading = AsyncMutex()

    /// Creates a body.
    ///
    /// - Parameter remove: A closure that removes the stored response, called if the body cannot be read.
    init(_ reader: any HttpCacheReader, _ range: Range<Int64>, remove: @escaping @Sendable () async -> Void) {
        self.reader = reader
        self.remove = remove
        end = range.upperBound
        position = Locked(range.lowerBound)
    }

    var trailers: HTTPFields { [:] }

    func read() async throws(NetworkError) -> Data? {
        let piece = await reading.withLockIgnoringCancellation { () async -> Result<Data?, NetworkError> in
            do throws(NetworkError) { return .success(try await nextPiece()) } catch { return .failure(error) }
        }
        return try piece.get()
    }

    private func nextPiece() async throws(NetworkError) -> Data? {
        guard let start = position.withLock({ $0 }) else {
            throw .cancelled(NetworkFailure("the body was cancelled", phase: .body))
        }
        if start >= end { return nil }
        do throws(HttpCacheStorageError) {
            let piece = try await reader.read(at: start, upTo: Int(min(Self.pieceSize, end - start)))
            if piece.isEmpty { throw .damaged("it ends after \(start) of \(end) bytes") }
            position.withLock { if $0 != nil { $0 = start + Int64(piece.count) } }
            return piece
        } catch {
            await remove()
            throw .networkError(
                NetworkFailure(
                    "the body of the stored response could not be read: \(error); \(start) bytes were read",
                    phase: .body,
                    advice: "repeat the call; the stored response has been removed",
                    underlying: error
                )
            )
        }
    }

    func cancel() { position.withLock { $0 = nil } }
}
