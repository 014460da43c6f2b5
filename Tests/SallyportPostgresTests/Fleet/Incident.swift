#if PostgreSQL && os(Linux)
import Foundation
import TestSupport

/// An incident that processes of a fleet experience during the refresh of a rotation.
enum Incident: Equatable {
    case none
    /// The process is killed before Glewlwyd receives its request.
    case killedBeforeRequest
    /// The process is killed after the response of Glewlwyd, which it has not received.
    case killedAfterResponse
    /// The process is killed at a random moment while it receives and stores the response.
    case killedWhileStoring
    /// Three processes are killed at a random moment while all of them ask for tokens.
    case severalKilled
    /// The process is stopped before Glewlwyd receives its request, and continues after the response.
    case stoppedBeforeRequest
    /// The process is stopped after the response of Glewlwyd, which it has not received, and continues.
    case stoppedAfterResponse
    /// The process is stopped before Glewlwyd receives its request, until another one has refreshed the tokens. The request is lost.
    case stoppedTooLong

    /// Returns the incidents of a number of rotations: the same mixture for each 20 of them, in random order.
    static func sequence(_ count: Int, using random: inout SeededGenerator) -> [Incident] {
        let mixture: [(Incident, Int)] = [
            (.none, 7), (.killedBeforeRequest, 3), (.killedAfterResponse, 2), (.killedWhileStoring, 3),
            (.severalKilled, 2), (.stoppedBeforeRequest, 1), (.stoppedAfterResponse, 1), (.stoppedTooLong, 1),
        ]
        let all = mixture.flatMap { Array(repeating: $0, count: $1) }
        var sequence: [Incident] = []
        while sequence.count < count { sequence += all.shuffled(using: &random) }
        return Array(sequence.prefix(count))
    }

    /// The moment at which the proxy has to hold the refresh.
    var heldMoment: String? {
        switch self {
        case .none, .killedWhileStoring, .severalKilled: nil
        case .killedBeforeRequest, .stoppedBeforeRequest, .stoppedTooLong: "arrival"
        case .killedAfterResponse, .stoppedAfterResponse: "answer"
        }
    }

    /// A Boolean value that indicates whether the session is lost, or `nil` if that depends on the moment.
    var losesSession: Bool? {
        switch self {
        case .none, .killedBeforeRequest, .stoppedBeforeRequest, .stoppedAfterResponse, .stoppedTooLong: false
        case .killedAfterResponse: true
        case .killedWhileStoring, .severalKilled: nil
        }
    }

    /// Kills or stops processes while the fleet asks for tokens.
    ///
    /// - Returns: The processes that were killed, and the one that was stopped until another one refreshed the tokens.
    func apply(
        to fleet: Fleet,
        using random: inout SeededGenerator
    ) async throws -> (killed: [FleetProcess], delayed: FleetProcess?) {
        switch self {
        case .none: return ([], nil)
        case .killedBeforeRequest, .killedAfterResponse:
            let holder = try await fleet.member(of: "held")
            holder.signal(SIGKILL)
            fleet.dropHeld()
            return ([holder], nil)
        case .killedWhileStoring:
            let holder = try await fleet.member(of: "answered")
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &random)))
            holder.signal(SIGKILL)
            return ([holder], nil)
        case .severalKilled:
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<100_000, using: &random)))
            let killed = Array(fleet.members.shuffled(using: &random).prefix(3))
            for member in killed { member.signal(SIGKILL) }
            return (killed, nil)
        case .stoppedBeforeRequest, .stoppedAfterResponse:
            let holder = try await fleet.member(of: "held")
            holder.signal(SIGSTOP)
            fleet.continueHeld()
            _ = try await fleet.event("relayed")
            holder.signal(SIGCONT)
            return ([], nil)
        case .stoppedTooLong:
            let holder = try await fleet.member(of: "held")
            holder.signal(SIGSTOP)
            _ = try await fleet.event("relayed")
            fleet.dropHeld()
            holder.signal(SIGCONT)
            return ([], holder)
        }
    }
}
#endif
