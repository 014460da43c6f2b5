import Foundation
import SallyportTransport

/// Detects libraries that replace code of this process: instrumentation frameworks, and libraries that the loader was told to add.
package struct HookingProbe: IntegrityProbe {
    /// The variables that make the loaders of Linux and of Apple platforms add libraries.
    private static let variables = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"]

    private let files: any IntegrityFiles
    private let libraries: LoadedLibraries
    private let environment: @Sendable (String) -> String?

    package var check: IntegrityCheck { .hooking }

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - files: The file system.
    ///   - environment: A closure that returns the value of a variable of the environment.
    package init(
        files: any IntegrityFiles,
        environment: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        self.files = files
        libraries = LoadedLibraries(named: LoadedLibraries.instrumentation, files: files)
        self.environment = environment
    }

    package func run() throws(IntegrityError) {
        for name in Self.variables {
            if let value = environment(name), !value.isEmpty {
                throw .hooked("the variable \(name) is set to \(VisibleText.line(value, longest: 200))")
            }
        }
        if let library = try libraries.first(for: .hooking) {
            throw .hooked("the library \(library) is loaded")
        }
        // Linux's loader adds the libraries in this file to every process (ld.so(8)).
        if let list = files.contents(of: "/etc/ld.so.preload").map({ String(decoding: $0, as: UTF8.self) }) {
            let names = list.split(separator: "\n").map { $0.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces) }
            if let name = names.first(where: { !$0.isEmpty }) {
                throw .hooked("/etc/ld.so.preload adds \(VisibleText.line(name, longest: 200))")
            }
        }
    }
}
