import Foundation
import Sallyport
import SallyportJourney

/// Signs the user in with an authentication tree at the terminal, or with the answers of options.
struct JourneyLogin: Sendable {
    /// The maximum number of nodes, for trees that ask again and again.
    private static let maximumNodes = 200

    let journey: Journey
    let dialog: NodeDialog
    let options: JourneyOptions
    /// The maximum time to wait for the answer to a push message or a similar event.
    let limit: Duration

    /// Completes the tree. The session is then in the store of the journey. If the tree asked questions, a warning names the answers that
    /// none of them used.
    ///
    /// - Throws: ``JourneyError/suspended(_:)`` if the user must continue with a link, ``JourneyError``, ``CommandFailure``.
    func signIn() async throws {
        var step = try await firstStep()
        for count in 0..<Self.maximumNodes {
            switch step {
            case .success:
                if count > 0 { warnOfUnusedAnswers() }
                return
            case .failure(let failure):
                if count > 0 { warnOfUnusedAnswers() }
                throw JourneyError.failed(failure)
            case .node(var node):
                try await dialog.answer(&node)
                step = try await nextStep(after: node)
            }
        }
        throw CommandFailure(.other, "the tree has not ended after \(Self.maximumNodes) steps")
    }

    private func warnOfUnusedAnswers() {
        let names = dialog.unusedAnswers
        if names.isEmpty { return }
        StandardError.print("Warning: no question of the tree used these answers: \(names.joined(separator: ", "))")
    }

    private func firstStep() async throws -> JourneyStep {
        if let link = options.resume { return try await journey.resume(url: link) }
        return try await journey.start(forceAuth: options.forceAuth)
    }

    private func nextStep(after node: Node) async throws -> JourneyStep {
        let isEnded = node[ConfirmationCallback.self]?.selectedIndex != nil
        guard let callback = node[PollingWaitCallback.self], !isEnded else { return try await node.next() }
        return try await WaitingLine.show(callback.message) { try await node.poll(for: limit) }
    }
}

/// A line that shows what the command waits for and how long, on a terminal until the wait ends.
enum WaitingLine {
    static func show<Value>(_ text: String, while work: () async throws -> Value) async rethrows -> Value {
        let line = VisibleText.line(text.isEmpty ? "Waiting" : text, longest: 300)
        guard StandardError.isTerminal, ProcessInfo.processInfo.environment["TERM"] != "dumb" else {
            StandardError.print("\(line) …")
            return try await work()
        }
        // Before the task that draws, so that clearing the line is the last output.
        defer { StandardError.draw("\r\u{1B}[K") }
        async let _: Void = tick(line)
        return try await work()
    }

    private static func tick(_ line: String) async {
        let start = ContinuousClock.now
        repeat {
            let time = " … \(Format.interval(Int((ContinuousClock.now - start) / .seconds(1))))"
            let columns = StandardError.columns - TextColumns.count(time) - 1
            StandardError.draw("\r\(TextColumns.truncated(line, to: columns))\(time)\u{1B}[K")
        } while (try? await Task.sleep(for: .seconds(1))) != nil
    }
}
