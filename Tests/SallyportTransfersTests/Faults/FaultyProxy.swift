import Foundation
import NIOCore
import NIOPosix
import Sallyport
import TestSupport

/// Forwards requests to a server, and its responses back, and damages some of them.
final class FaultyProxy: Sendable {
    private struct State {
        var faults: [Int: Fault]
        var ranges: [String?] = []
        /// The requests whose responses pause after their first bytes, until the request after them has arrived.
        var pausing = 0..<0
    }

    private let base: String
    private let client = HttpClient.createClient { config in
        config.transportConfiguration.decodesContent = false
    }
    private let state: Watched<State>

    fileprivate init(to base: String, _ faults: [Int: Fault]) {
        self.base = base
        state = Watched(State(faults: faults))
    }

    /// The `Range` of each request so far.
    var ranges: [String?] { state.value.ranges }

    /// Sets the fault of the response to one of the next requests.
    ///
    /// - Parameter others: The number of requests before that one. Their responses pause after the first bytes until the request
    ///   with the fault has arrived. Otherwise they could contain all that the client needs.
    func spoilNext(_ fault: Fault, after others: Int = 0) {
        state.update { state in
            let next = state.ranges.count
            state.faults[next + others] = fault
            state.pausing = next..<next + others
        }
    }

    /// Returns the response to a request, with its fault.
    fileprivate func answer(to head: String) async throws -> ProxiedResponse {
        let lines = head.split(separator: "\r\n")
        let target = lines.first?.split(separator: " ").dropFirst().first ?? "/"
        var request = HttpRequest(url: base + target)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, !["host", "connection"].contains(parts[0].lowercased()) else { continue }
            request.setHeader(name: String(parts[0]), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        let (fault, pausing, number) = state.update { state in
            state.ranges.append(request.getHeader(name: "Range"))
            let number = state.ranges.count - 1
            return (state.faults[number], state.pausing, number)
        }
        var response = ProxiedResponse(try await client.request(request: request))
        if pausing.contains(number) { response.pausesUntilRequest = pausing.upperBound }
        fault?.change(&response)
        return response
    }

    /// Waits until a request has arrived.
    fileprivate func waitForRequest(_ number: Int) async throws {
        try await state.wait("request \(number)") { $0.ranges.count > number }
    }
}

/// Runs a proxy for a server on a port of 127.0.0.1.
///
/// - Parameters:
///   - faults: The faults of the responses, by the number of the request, starting with 0.
///   - body: A closure that is called with the proxy and its base URL.
func withFaultyProxy<Result: Sendable>(
    to base: String,
    _ faults: [Int: Fault] = [:],
    _ body: @escaping @Sendable (FaultyProxy, String) async throws -> Result
) async throws -> Result {
    let proxy = FaultyProxy(to: base, faults)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await connection in connections {
                        tasks.addTask { try? await serve(connection, by: proxy) }
                    }
                }
            }
        }
        defer { group.cancelAll() }
        return try await body(proxy, "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)")
    }
}

/// Handles the requests on a connection one after the other; none of them has a body.
private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, by proxy: FaultyProxy) async throws {
    try await connection.executeThenClose { inbound, outbound in
        var received = Data()
        let end = Data("\r\n\r\n".utf8)
        var inbound = inbound.makeAsyncIterator()
        while let bytes = try await inbound.next() {
            received += Data(bytes.readableBytesView)
            while let range = received.range(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received = Data(received[range.upperBound...])
                let response = try await proxy.answer(to: head)
                try await outbound.write(ByteBuffer(string: response.head))
                let body = response.sentBody
                for start in stride(from: body.startIndex, to: body.endIndex, by: 65_536) {
                    try await outbound.write(ByteBuffer(bytes: body[start..<min(start + 65_536, body.endIndex)]))
                    if let number = response.pausesUntilRequest { try await proxy.waitForRequest(number) }
                }
                switch response.ending {
                case .whole: continue
                case .cut: return
                case .reset:
                    guard let options = connection.channel as? any SocketOptionProvider else { return }
                    return try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                case .stall:
                    // Until the client closes the connection.
                    while try await inbound.next() != nil {}
                    return
                }
            }
        }
    }
}
