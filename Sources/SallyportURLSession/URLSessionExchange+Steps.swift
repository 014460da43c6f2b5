import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionExchange {
    /// Records the length of the request's body, so that the end of sending can be recognized.
    func expectToSend(_ length: Int64) {
        update { $0.progress.bytesToSend = length }
    }

    /// Writes a stream to a temporary file, within the total timeout.
    func spool(_ stream: BodyStream) async throws(NetworkError) -> URL {
        let spool = BodySpool()
        update { $0.spool = spool }
        let result = await withTaskGroup(of: Result<Int64, NetworkError>.self) { group in
            group.addTask {
                await Result { () async throws(NetworkError) in try await spool.fill(from: stream) }
            }
            group.addTask {
                await Result { () async throws(NetworkError) in try await self.wait { _ in nil } }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled("the task was cancelled"))
        }
        do throws(NetworkError) {
            expectToSend(try result.get())
        } catch {
            spool.remove()
            throw error
        }
        return spool.url
    }

    /// Waits for the final response's head.
    func response() async throws(NetworkError) -> TransportResponse {
        let (head, informational, facts) = try await wait { state in
            state.head.map { ($0, state.informational, state.progress.facts) }
        }
        // If the request sets Accept-Encoding itself, or the response is partial, a body in a coding that the session does not decode
        // is passed on as it was sent.
        let isUndecoded = request.head.headerFields[.acceptEncoding] != nil || head.response.status == .partialContent
        let coding = decodesContent && !isUndecoded ? head.unsupportedCoding : nil
        let source = SessionBody(exchange: self, unsupportedCoding: coding)
        return TransportResponse(
            head: head.response,
            body: ResponseBody(length: head.length, isDecoded: head.isDecoded, source: source),
            connection: facts,
            informational: informational
        )
    }

    /// Waits for the next chunk of the body. Returns `nil` at its end.
    func nextChunk() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            let chunk = try await takeChunk()
            resumeReading()
            return chunk
        } catch {
            fail(error)
            throw error.naming(request.head.summary)
        }
    }

    private func takeChunk() async throws(NetworkError) -> Data? {
        try await wait { (state) throws(NetworkError) -> Data?? in
            if state.incoming.isCancelled { throw .cancelled(NetworkFailure("the body was cancelled", phase: .body)) }
            if let chunk = state.incoming.take() { return .some(chunk) }
            if case .success = state.end { return .some(nil) }
            return nil
        }
    }
}

extension ExchangeProgress {
    fileprivate var facts: ConnectionFacts {
        ConnectionFacts(firstByte: firstByte.map { started.duration(to: $0) })
    }
}

/// The body of a response as `URLSession` delivers it.
private struct SessionBody: ResponseBodySource {
    let exchange: URLSessionExchange
    /// The coding that is not supported; `nil` for a body that the session decodes or that is passed on as sent.
    let unsupportedCoding: String?
    let trailers: HTTPFields = [:]

    func read() async throws(NetworkError) -> Data? {
        let chunk = try await exchange.nextChunk()
        if chunk != nil, let unsupportedCoding {
            let error = NetworkError(unsupportedCoding: unsupportedCoding)
            exchange.fail(error)
            throw error.naming(exchange.request.head.summary)
        }
        return chunk
    }

    var isReceived: Bool { exchange.isReceived }

    func cancel() {
        exchange.cancel()
    }
}

extension Result {
    /// Creates a result by calling an asynchronous closure.
    init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
