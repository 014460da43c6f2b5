#if PostgreSQL && os(Linux)
import Foundation
import TestSupport
import Testing

/// Processes on several machines that share a session at Glewlwyd, which ends a login when a refresh token is reused.
@Suite(
    .busy,
    .serialized,
    .enabled(
        if: Fleet.isRequested,
        "run .ci/real-servers fleet -- swift test --traits default,PostgreSQL --filter FleetTests"
    )
)
struct FleetTests {
    /// The number of rotations: 20 or `SALLYPORT_ROTATIONS`.
    private static let rotations =
        ProcessInfo.processInfo.environment["SALLYPORT_ROTATIONS"].flatMap { Int($0) } ?? 20

    @Test func `Twenty processes in four networks refresh once per rotation, while some are killed and stopped`()
        async throws
    {
        try await Fleet.run(members: 20) { fleet in
            try await fleet.expectCurrentTokens(from: fleet.members)
            var random = SeededGenerator(seed: 16)
            var lost = 0
            for (number, incident) in Incident.sequence(Self.rotations, using: &random).enumerated() {
                let comment: Comment = "rotation \(number + 1), \(incident)"
                if try await rotate(fleet, incident, using: &random, comment) { lost += 1 }
            }
            print(
                "\(Self.rotations) rotations: kills before the response was stored lost \(lost) sessions, as reported"
            )
        }
    }

    @Test func `A process that was stopped for too long does not replace the tokens of a new login`() async throws {
        try await Fleet.run(members: 4) { fleet in
            try await fleet.beginRotation(holding: "answer")
            let stopped = try await fleet.member(of: "held")
            stopped.signal(SIGSTOP)
            // The database ends the access of the stopped process, and Glewlwyd ends the login.
            let others = fleet.members.filter { $0 !== stopped }
            for member in others { expectReport(of: try await member.nextLine(), "the process was stopped") }
            try await fleet.sync()
            #expect(fleet.issued.map(\.member) == [stopped.name])
            try await fleet.signIn(with: others[0])

            // The process receives tokens of the login that has ended.
            fleet.continueHeld()
            stopped.signal(SIGCONT)
            expectCurrentTokensOrTimeout(try await stopped.nextLine(), fleet, "the process was stopped")
            #expect(try await others[0].answer(to: "stored") == "stored \(fleet.current)")
            try await fleet.expectCurrentTokens(from: fleet.members)
        }
    }

    /// Lets the tokens expire, and all processes ask for new ones during an incident.
    ///
    /// - Returns: A Boolean value that indicates whether the session was lost. Then the user has signed in again.
    private func rotate(
        _ fleet: Fleet,
        _ incident: Incident,
        using random: inout SeededGenerator,
        _ comment: Comment
    ) async throws -> Bool {
        let previous = fleet.current
        try await fleet.beginRotation(holding: incident.heldMoment)
        let (killed, delayed) = try await incident.apply(to: fleet, using: &random)
        let survivors = fleet.members.filter { member in !killed.contains { $0 === member } }
        var answers: [String] = []
        for member in survivors where member !== delayed { answers.append(try await member.nextLine()) }
        try await fleet.sync()

        // One refresh per rotation.
        try #require(fleet.issued.count == 1, "\(comment): \(fleet.events)")
        let issued = fleet.issued[0]
        let isLost = answers != Array(repeating: "tokens \(issued.fingerprint)", count: answers.count)
        if let expected = incident.losesSession { #expect(isLost == expected, "\(comment): \(answers)") }
        if isLost {
            // Only a process that was killed after Glewlwyd had received its request can lose the session.
            #expect(killed.contains { $0.name == issued.member }, comment)
            for answer in answers { expectReport(of: answer, comment) }
            #expect(try await survivors[0].answer(to: "stored") == "stored \(previous) marked", comment)
            try await fleet.signIn(with: survivors[0])
            try await fleet.expectCurrentTokens(from: survivors)
        } else {
            #expect(fleet.refused == 0, comment)
            fleet.setCurrent(issued.fingerprint)
            if let delayed {
                expectCurrentTokensOrTimeout(try await delayed.nextLine(), fleet, comment)
                try await fleet.expectCurrentTokens(from: [delayed])
            }
            #expect(try await survivors[0].answer(to: "stored") == "stored \(fleet.current)", comment)
        }
        try await fleet.replace(killed)
        return isLost
    }

    /// Expects the answer of a process that was stopped until its access to the row and its refresh had reached their limits.
    ///
    /// If it received a response, it cannot store it (`accessLost`), and returns the stored tokens. Otherwise its request failed. No
    /// other error is expected.
    private func expectCurrentTokensOrTimeout(_ answer: String, _ fleet: Fleet, _ comment: Comment) {
        let isExpected = answer == "tokens \(fleet.current)" || answer.hasPrefix("network ")
        #expect(isExpected, "\(comment): \(answer)")
    }

    /// Expects a process to report that the response to a refresh was lost.
    private func expectReport(of answer: String, _ comment: Comment) {
        #expect(answer.hasPrefix("lost the server no longer accepts the tokens"), "\(comment): \(answer)")
        for part in ["a refresh that began at", "was never stored", "log in again"] {
            #expect(answer.contains(part), "\(comment): \(answer)")
        }
    }
}
#endif
