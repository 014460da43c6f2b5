import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney

/// Shows push messages as they arrive, and asks the user for an answer on a terminal.
struct PushWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows push messages as they arrive, until it is interrupted.",
        discussion: """
            On a terminal, the command asks whether to approve or deny each message. Otherwise it prints a line for each \
            message with its identifier for push approve and push deny.
            """
    )

    @Option(help: ArgumentHelp("End after this number of messages. (default: never)", valueName: "number"))
    var count: Int?

    @OptionGroup
    var options: PushOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count needs a number greater than zero.") }
    }

    func run() async throws {
        let (options, count) = (options, count ?? .max)
        try await Interruption.cancelOnSignal {
            let push = try await PushAuthenticator(options)
            var shown: Set<PushMessage.ID> = []
            StandardError.print("Waiting for push messages. Press Control-C to stop.")
            while true {
                try await push.collect()
                for message in try await push.client.pendingMessages() where shown.insert(message.id).inserted {
                    try await PushAnswer.ask(about: message, push.client)
                    if shown.count == count { return }
                }
                try await Task.sleep(for: PushAuthenticator.interval)
            }
        }
    }
}

struct PushApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approves the sign-in of a push message.",
        discussion: """
            Approve only a sign-in that you have started. The command cannot verify a fingerprint or a face; if the server \
            requires that, approving a message states that you are the user of this computer.
            """
    )

    @OptionGroup
    var selection: PushMessageOptions

    @Option(help: ArgumentHelp("The number that the sign-in page shows.", valueName: "number"))
    var number: Int?

    @OptionGroup
    var options: PushOptions

    func run() async throws {
        let (selection, number, options) = (selection, number, options)
        try await Interruption.cancelOnSignal {
            let push = try await PushAuthenticator(options)
            let message = try await selection.message(push)
            if let number {
                try await push.client.approve(message, number: number)
            } else if case .numbers(let numbers) = message.kind {
                let numbers = numbers.map(String.init).joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "the sign-in is approved with the number that its page shows: --number, one of \(numbers)"
                )
            } else {
                try await push.client.approve(message)
            }
            StandardError.print("Approved: \(message)")
        }
    }
}

struct PushDenyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny",
        abstract: "Denies the sign-in of a push message."
    )

    @OptionGroup
    var selection: PushMessageOptions

    @OptionGroup
    var options: PushOptions

    func run() async throws {
        let (selection, options) = (selection, options)
        try await Interruption.cancelOnSignal {
            let push = try await PushAuthenticator(options)
            let message = try await selection.message(push)
            try await push.client.deny(message)
            StandardError.print("Denied: \(message)")
        }
    }
}

/// The message that a command answers.
struct PushMessageOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The identifier of the message, as shown by push watch and push list. It can be omitted if there is only one.",
            valueName: "id"
        )
    )
    var id: String?

    @Option(help: ArgumentHelp("The time to wait for a message. (default: 0)", valueName: "seconds"))
    var wait: Double?

    func validate() throws {
        if let wait, !(wait >= 0 && wait < 1e6) {
            throw ValidationError("--wait needs a number of seconds that is not negative.")
        }
    }

    /// Collects messages, and returns the selected one.
    ///
    /// - Throws: ``CommandFailure`` if there is none within the time, or several.
    func message(_ push: PushAuthenticator) async throws -> PushMessage {
        let deadline = ContinuousClock.now + .seconds(wait ?? 0)
        while true {
            try await push.collect()
            let pending = try await push.client.pendingMessages()
            if !pending.isEmpty || ContinuousClock.now >= deadline {
                return try PushAuthenticator.messages.one(of: pending, matching: id)
            }
            try await Task.sleep(for: min(PushAuthenticator.interval, max(.zero, deadline - .now)))
        }
    }
}

/// Shows a push message and asks for the answer.
private enum PushAnswer {
    private static let deny = "Deny"
    private static let later = "Decide later"

    /// Shows a message. On a terminal, asks for the answer and sends it.
    static func ask(about message: PushMessage, _ client: PushClient) async throws {
        print(PushAuthenticator.messages.line(message))
        fflush(nil)
        guard TerminalPrompt.isAvailable else { return }
        if let context = message.context { StandardError.print(context) }
        do {
            switch message.kind {
            case .approval, .biometric:
                switch try await select("Approve the sign-in?", ["Approve", deny, later]) {
                case 0: try await client.approve(message)
                case 1: try await client.deny(message)
                default: return
                }
            case .numbers(let numbers):
                let question = "Which number does the sign-in page show?"
                let index = try await select(question, numbers.map(String.init) + [deny, later])
                if index < numbers.count {
                    try await client.approve(message, number: numbers[index])
                } else if index == numbers.count {
                    try await client.deny(message)
                } else {
                    return
                }
            }
            StandardError.print("The answer was sent.")
        } catch let error as MechanismError {
            StandardError.print("sallyport: \(error)")
        }
    }

    private static func select(_ question: String, _ choices: [String]) async throws -> Int {
        guard let index = try await TerminalPrompt.choose(question, from: choices) else {
            throw CommandFailure(.usage, "standard input ended before the answer")
        }
        return index
    }
}
