import ArgumentParser
import Foundation
import SallyportGateway

/// Hashes a password for the configuration of `serve --identity`.
struct HashPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash-password",
        abstract: "Reads a password from standard input, and prints its hash for --identity."
    )

    @Option(help: "The binary logarithm of the rounds of scrypt, 1 to 16: each step doubles time and memory.")
    var cost = 14

    func validate() throws {
        if !(1...16).contains(cost) { throw ValidationError("--cost needs a number from 1 to 16.") }
    }

    func run() async throws {
        let cost = cost
        try await Interruption.cancelling {
            guard let password = try await PasswordPrompt.line(asking: "Password: "), !password.isEmpty else {
                throw CommandFailure(.usage, "there is no password on standard input")
            }
            let hash = try await BlockingCall.run {
                do throws(GatewayError) {
                    return try PasswordHash(hashing: password, cost: cost)
                } catch {
                    throw CommandFailure(.usage, "\(error)")
                }
            }
            print(hash.text)
        }
    }
}
