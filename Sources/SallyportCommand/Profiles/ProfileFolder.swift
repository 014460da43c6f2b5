import Foundation

/// Where profiles are: each in a folder of its own, which only its owner may read.
struct ProfileFolder {
    /// The folder of all profiles.
    let root: URL

    /// In `SALLYPORT_HOME`, else in the place that XDG has for configurations.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let home = environment["SALLYPORT_HOME"], !home.isEmpty {
            root = URL(fileURLWithPath: home, isDirectory: true)
        } else {
            root = UserFolders.sallyport(in: "XDG_CONFIG_HOME", else: ".config", environment)
        }
    }

    func settings(of name: ProfileName) -> URL { folder(of: name).appendingPathComponent("profile.json") }

    func tokens(of name: ProfileName) -> URL { folder(of: name).appendingPathComponent("tokens") }

    func folder(of name: ProfileName) -> URL { root.appendingPathComponent(name.description, isDirectory: true) }

    /// The names of the profiles that are there.
    var names: [ProfileName] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return entries.compactMap(ProfileName.init).filter { name in
            FileManager.default.fileExists(atPath: settings(of: name).path)
        }.sorted()
    }

    /// Makes the folder of a profile.
    func create(_ name: ProfileName) throws(CommandFailure) {
        try OwnFolder.make(folder(of: name))
    }
}
