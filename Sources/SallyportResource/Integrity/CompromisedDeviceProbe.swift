/// The signs of a device without the protection of its operating system.
package struct CompromiseSigns: Sendable {
    /// Files of jailbreaks and of the programs that they install.
    package var files: [String]
    /// Directories of the system that jailbreaks move and replace by symbolic links.
    package var links: [String]
    /// Files outside an app's container. The sandbox prevents an app from creating them.
    package var forbidden: [String]
    /// The names of libraries, in lower case.
    package var libraries: [String]

    package init(files: [String] = [], links: [String] = [], forbidden: [String] = [], libraries: [String] = []) {
        self.files = files
        self.links = links
        self.forbidden = forbidden
        self.libraries = libraries
    }

    /// The signs of a jailbroken iOS, tvOS, watchOS or visionOS device.
    package static let jailbreak = CompromiseSigns(
        files: [
            "/Applications/Cydia.app", "/Applications/Sileo.app", "/Applications/Zebra.app",
            "/Applications/Installer.app",
            "/Library/MobileSubstrate/MobileSubstrate.dylib", "/Library/MobileSubstrate/DynamicLibraries",
            "/usr/lib/libsubstrate.dylib", "/usr/lib/libhooker.dylib", "/usr/lib/libellekit.dylib",
            "/usr/lib/TweakInject",
            "/usr/libexec/cydia", "/usr/libexec/sftp-server", "/usr/sbin/sshd", "/usr/sbin/frida-server",
            "/usr/bin/cycript",
            "/bin/bash", "/etc/apt", "/etc/ssh/sshd_config", "/private/etc/apt", "/private/var/lib/apt",
            "/private/var/lib/cydia", "/private/var/lib/dpkg", "/private/var/stash", "/private/var/jb", "/var/jb",
            "/.bootstrapped_electra", "/.installed_unc0ver", "/cores/binpack",
            "/var/binpack", "/private/var/mobile/Library/SBSettings/Themes",
        ],
        links: [
            "/Applications", "/Library/Ringtones", "/Library/Wallpaper", "/usr/arm-apple-darwin9", "/usr/include",
            "/usr/libexec", "/usr/share",
        ],
        forbidden: ["/private/sallyport-integrity", "/private/var/mobile/sallyport-integrity"],
        libraries: LoadedLibraries.tweakLoaders
    )

    /// The signs for this platform; `nil` for platforms on which users administer their own system, and for simulators.
    package static var current: CompromiseSigns? {
        #if targetEnvironment(simulator) || targetEnvironment(macCatalyst)
        nil
        #elseif os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        jailbreak
        #else
        nil
        #endif
    }
}

/// Detects a device without the protection of its operating system: by files, by a sandbox that does not work, and by libraries.
package struct CompromisedDeviceProbe: IntegrityProbe {
    private let signs: CompromiseSigns?
    private let files: any IntegrityFiles
    private let libraries: LoadedLibraries

    package var check: IntegrityCheck { .compromisedDevice }

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - signs: The signs to look for; `nil` if this platform has none.
    ///   - files: The file system.
    package init(_ signs: CompromiseSigns?, files: any IntegrityFiles) {
        self.signs = signs
        self.files = files
        libraries = LoadedLibraries(named: signs?.libraries ?? [], files: files)
    }

    package func run() throws(IntegrityError) {
        guard let signs else { return }
        if let file = signs.files.first(where: files.exists) { throw .deviceCompromised("\(file) exists") }
        if let link = signs.links.first(where: files.isSymbolicLink) {
            throw .deviceCompromised("\(link) is a symbolic link")
        }
        // An existing file prevents the second check. This check leaves one if the process ends before the file is removed.
        if let file = signs.forbidden.first(where: files.exists) {
            throw .deviceCompromised("\(file) exists, so the sandbox does not work")
        }
        if let file = signs.forbidden.first(where: files.canCreate) {
            throw .deviceCompromised("\(file) could be created, so the sandbox does not work")
        }
        if let library = try libraries.first(for: .compromisedDevice) {
            throw .deviceCompromised("the library \(library) is loaded")
        }
    }
}
