import Foundation
import Sallyport

extension Call {
    /// Reads events, and prints each as it comes.
    func printEvents(_ events: EventOptions) async throws {
        var configuration = configuration
        var request = request
        let limit = request.timeouts?.total
        request.timeouts?.total = nil
        if options.retries.retry == nil { configuration.onRetry(RetryOptions.announce) }
        if options.retries.retry == 0 { request.retry = .never }
        let plain = HttpClient(configuration: configuration)
        defer { plain.close() }
        let client = login?.authorizing(plain) ?? plain
        let stream = client.events(request: request, options: events.streamOptions)
        do {
            try await within(limit) { try await print(stream, as: events) }
        } catch {
            await login?.session.finish()
            try? options.cookies.save(jar)
            throw explained(error)
        }
        await login?.session.finish()
        try options.cookies.save(jar)
    }

    private func print(_ stream: ServerSentEvents, as options: EventOptions) async throws {
        var left = options.count ?? .max
        for try await event in stream {
            let line = options.json ? try EventText.json(event) : EventText.readable(event)
            try await StandardOutput.write(Data((line + "\n").utf8))
            left -= 1
            if left == 0 { return }
        }
    }

    /// Runs a closure for so long at most.
    private func within(_ limit: Duration?, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard let limit else { return try await body() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw CommandFailure(.timeout, "the time that --timeout allows, \(Format.time(limit)), is over")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? EventStreamError else { return login?.explaining(error) ?? error }
        switch error.reason {
        case .network(let cause): return login?.explaining(cause) ?? cause
        case .status: return CommandFailure(.errorResponse, error.description)
        case .contentType: return CommandFailure(.weirdReply, error.description)
        case .tooLarge: return CommandFailure(.tooLarge, error.description)
        }
    }
}
