import ArgumentParser
import Sallyport

/// An argument of `--limit`, such as `line-size=16M`: a limit of the SDK that few users need to change.
struct LimitArgument: Equatable, Sendable {
    let name: LimitName
    /// The number of bytes, fields, responses or connections; `nil` for a time.
    let count: Int?
    /// The time; `nil` for no limit, and for a limit that is not a time.
    let time: Duration?

    private static let maximumCount = 1 << 30

    /// - Throws: A usage error that explains the form.
    init(_ argument: String) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = LimitName(rawValue: parts[0]), parts.count == 2 else {
            let names = LimitName.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("It must be one of \(names), followed by = and a value.")
        }
        self.name = name
        switch name.kind {
        case .size:
            let size = try SizeArgument.bytes(parts[1])
            if size < 1 { throw ValidationError("\(name.rawValue) needs at least one byte.") }
            // The maximum head is an integer of 32 bits in HTTP/2 (RFC 9113, section 6.5.2).
            if name == .headSize, size > Self.maximumCount { throw ValidationError("head-size is at most 1G.") }
            count = Int(size)
            time = nil
        case .count:
            guard let number = Int(parts[1]), number > 0 else {
                throw ValidationError("\(name.rawValue) needs a number greater than zero.")
            }
            if number > Self.maximumCount { throw ValidationError("\(name.rawValue) is at most \(Self.maximumCount).") }
            count = number
            time = nil
        case .time:
            count = nil
            if parts[1] == "none" {
                time = nil
            } else if let seconds = Double(parts[1]), seconds > 0, seconds < 1e9 {
                time = .seconds(seconds)
            } else {
                throw ValidationError("\(name.rawValue) needs a number of seconds greater than zero, or none.")
            }
        }
    }
}

/// The limits that `--limit` sets.
enum LimitName: String, CaseIterable, Sendable {
    case headSize = "head-size"
    case headFields = "head-fields"
    case informationalResponses = "informational-responses"
    case decodedSize = "decoded-size"
    case bodySize = "body-size"
    case lineSize = "line-size"
    case eventSize = "event-size"
    case idleTime = "idle-time"
    case headTime = "head-time"
    case queueTime = "queue-time"
    case pingTime = "ping-time"
    case connections
    case hostConnections = "host-connections"

    /// The names except those in the example of the help.
    static var others: String {
        allCases.filter { ![.headSize, .idleTime].contains($0) }.map(\.rawValue).joined(separator: ", ")
    }

    enum Kind: Sendable {
        case size, count, time
    }

    var kind: Kind {
        switch self {
        case .headSize, .decodedSize, .bodySize, .lineSize, .eventSize: .size
        case .headFields, .informationalResponses, .connections, .hostConnections: .count
        case .idleTime, .headTime, .queueTime, .pingTime: .time
        }
    }

    /// The property of the SDK that the limit sets.
    var setting: String {
        switch self {
        case .headSize: "ResponseLimits.headBytes"
        case .headFields: "ResponseLimits.headFields"
        case .informationalResponses: "ResponseLimits.informationalResponses"
        case .decodedSize: "ResponseLimits.decodedBytes"
        case .bodySize: "HttpClientConfiguration.maximumBodySize"
        case .lineSize: "EventStreamOptions.maximumLineSize"
        case .eventSize: "EventStreamOptions.maximumEventSize"
        case .idleTime: "Timeouts.idle"
        case .headTime: "Timeouts.head"
        case .queueTime: "Timeouts.queue"
        case .pingTime: "ConnectionLimits.ping"
        case .connections: "ConnectionLimits.total"
        case .hostConnections: "ConnectionLimits.perHost"
        }
    }
}

extension [LimitArgument] {
    /// Sets the limits of responses and connections.
    func apply(to configuration: inout TransportConfiguration) {
        for limit in self {
            switch (limit.name, limit.count) {
            case (.headSize, let count?): configuration.responses.headBytes = count
            case (.headFields, let count?): configuration.responses.headFields = count
            case (.informationalResponses, let count?): configuration.responses.informationalResponses = count
            case (.decodedSize, let count?): configuration.responses.decodedBytes = count
            case (.connections, let count?): configuration.connections.total = count
            case (.hostConnections, let count?): configuration.connections.perHost = count
            case (.pingTime, nil): configuration.connections.ping = limit.time
            default: break
            }
        }
    }

    /// Sets the limit of bodies that are collected in memory.
    func apply(to configuration: inout HttpClientConfiguration) {
        for limit in self where limit.name == .bodySize { configuration.maximumBodySize = limit.count ?? .max }
    }

    /// Sets the time limits.
    func apply(to timeouts: inout Timeouts) {
        for limit in self {
            switch limit.name {
            case .idleTime: timeouts.idle = limit.time
            case .headTime: timeouts.head = limit.time
            case .queueTime: timeouts.queue = limit.time
            default: break
            }
        }
    }

    /// Sets the limits of events.
    func apply(to options: inout EventStreamOptions) {
        for limit in self {
            switch limit.name {
            case .lineSize: options.maximumLineSize = limit.count ?? .max
            case .eventSize: options.maximumEventSize = limit.count ?? .max
            default: break
            }
        }
    }
}
