import ArgumentParser
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportStorage

/// The options of `serve` for payload encryption.
struct ServedPayloadOptions: ParsableArguments {
    /// The maximum length of a key file in bytes.
    private static let maximumLength = 16 * 1024

    @Option(
        help: ArgumentHelp(
            "The private key of payload encryption, a JSON Web Key that only you can read. A new key is written to the file if "
                + "it does not exist. Apps need the public key of GET /api/v1/payload/keys.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var payloadKey: String?

    @Option(
        name: .customLong("require-encryption"),
        help: ArgumentHelp(
            "A path, such as /resources/accounts, below which requests have to be encrypted. (repeatable)",
            valueName: "path"
        )
    )
    var encryptedPaths: [String] = []

    func validate() throws {
        if payloadKey == nil, !encryptedPaths.isEmpty {
            throw ValidationError("--require-encryption needs --payload-key.")
        }
        if let path = encryptedPaths.first(where: { !$0.hasPrefix("/") }) {
            throw ValidationError("--require-encryption needs a path that starts with a slash, not \(path).")
        }
    }

    /// Returns the payload encryption; `nil` without `--payload-key`.
    func encryption() throws(CommandFailure) -> GatewayPayloadEncryption? {
        guard let payloadKey else { return nil }
        let key = try key(in: payloadKey)
        do throws(GatewayError) {
            return try GatewayPayloadEncryption(keys: [key], requiredFor: encryptedPaths)
        } catch .invalidIdentity(let reason) {
            throw CommandFailure(.usage, "--require-encryption: \(reason)")
        } catch {
            throw CommandFailure(.unreadableInput, "--payload-key \(payloadKey): \(error)")
        }
    }

    /// Returns the key in a file, or a new key that is written to it.
    private func key(in file: String) throws(CommandFailure) -> JsonWebKey {
        let stored: Data?
        do throws(PrivateAccessError) {
            stored = try PrivateFile.read(file, upTo: Self.maximumLength)
        } catch {
            let problem = RecordStoreError(file: file, error).description
            throw CommandFailure(.unreadableInput, "the key of --payload-key cannot be read: \(problem)")
        }
        if let stored {
            guard let key = try? JSONDecoder().decode(JsonWebKey.self, from: stored) else {
                throw CommandFailure(.unreadableInput, "the key \(file) is not a JSON Web Key")
            }
            return key
        }
        do {
            let key = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
            try PrivateFile.replace(URL(fileURLWithPath: file), with: JSONEncoder.ordered.encode(key))
            return key
        } catch {
            throw WriteFailure.of("the key", file, error)
        }
    }
}
