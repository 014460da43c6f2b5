import Foundation
import Sallyport

/// Writes one response as the options ask for it.
struct ResponseWriter {
    let options: OutputOptions
    let output: ResponseOutput

    func write(_ response: HttpResponse) async throws {
        if options.fail, response.status.code >= 400 {
            throw CommandFailure(.errorResponse, "\(response.request): the server answered \(response.status.words)")
        }
        let start = ContinuousClock.now
        if options.include || response.request.getMethod() == .head { try await output.write(response.headData) }
        let size = try await writeBody(of: response)
        if options.verbose { showEnd(of: response, size, in: ContinuousClock.now - start) }
    }

    private func writeBody(of response: HttpResponse) async throws -> Int64 {
        let body = response.bodyStream
        var size: Int64 = 0
        var bar = ProgressBar.isWanted(for: output, length: body.length) ? ProgressBar(length: body.length) : nil
        defer { bar?.end() }
        for try await chunk in body {
            try await output.write(chunk)
            size += Int64(chunk.count)
            bar?.advance(by: chunk.count)
        }
        return size
    }

    private func showEnd(of response: HttpResponse, _ size: Int64, in time: Duration) {
        for line in response.trailers.map(Redaction.line) { StandardError.print("< \(line)") }
        StandardError.print("* body: \(Format.size(size)) in \(Format.time(time))")
    }
}

extension HttpResponse {
    /// The status line and header fields as HTTP/1.1 writes them.
    fileprivate var headData: Data {
        var head = Data("\(status.line(connection.httpVersion))\r\n".utf8)
        for field in headers.fields {
            head += Data("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { head += Data($0) }
            head += Data("\r\n".utf8)
        }
        return head + Data("\r\n".utf8)
    }
}
