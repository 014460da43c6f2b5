import Foundation
import HTTPTypes
import Logging

/// Logs each request as it leaves, and its response. Secrets are masked at every level.
struct LoggingInterceptor: Interceptor {
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let start = ContinuousClock.now
        logger.trace("\(Redaction.message(Redaction.line(request), request.fields, body: request.body))")
        do {
            let response = try await next(request)
            logger.debug("\(Redaction.line(request)) -> \(response.status.code) in \(milliseconds(since: start)) ms")
            let status = "\(response.status.code)"
            logger.trace("\(Redaction.message(status, response.headers.fields, body: response.body))")
            return response
        } catch {
            let level = Task.isCancelled ? Logger.Level.debug : .warning
            logger.log(
                level: level,
                "\(Redaction.line(request)) failed after \(milliseconds(since: start)) ms: \(error)"
            )
            throw error
        }
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}
