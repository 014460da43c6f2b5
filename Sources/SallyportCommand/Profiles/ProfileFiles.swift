import Foundation
import Sallyport
import SallyportOAuth

/// Reads and writes the settings of profiles.
extension ProfileFolder {
    private static let maximumSize = 1 << 20

    /// - Throws: A failure that says how to make the profile, or to make it private: who could change it could send its
    ///   tokens elsewhere.
    func load(_ name: ProfileName) throws(CommandFailure) -> Profile {
        let file = settings(of: name)
        guard FileManager.default.fileExists(atPath: file.path) else { throw missing(name) }
        let data: Data?
        do throws(TokenStoreError) {
            data = try PrivateFolder(folder(of: name).path).read(file.lastPathComponent, upTo: Self.maximumSize)
        } catch {
            throw CommandFailure(.unreadableInput, error.description)
        }
        guard let profile = data.flatMap({ try? JSONDecoder().decode(Profile.self, from: $0) }) else {
            throw CommandFailure(
                .unreadableInput,
                "the profile in \(file.path) cannot be read; log in again to replace it"
            )
        }
        return profile
    }

    /// Replaces the settings at once; only their owner may read them, as a client's secret may be among them.
    func save(_ profile: Profile, as name: ProfileName) throws(CommandFailure) {
        try create(name)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try PrivateFile.replace(settings(of: name).path, with: try encoder.encode(profile))
        } catch {
            let reason = (error as NSError).localizedDescription
            throw CommandFailure(.writeError, "the profile in \(settings(of: name).path) cannot be written: \(reason)")
        }
    }

    private func missing(_ name: ProfileName) -> CommandFailure {
        let option = name == .standard ? "" : " --profile \(name)"
        let others = names.map(\.description).joined(separator: ", ")
        return CommandFailure(
            .loginDenied,
            "there is no profile \(name): make it with sallyport login\(option) --issuer … --client-id …"
                + (others.isEmpty ? "" : "; there are \(others)")
        )
    }
}
