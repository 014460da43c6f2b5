import Foundation
import SallyportStorage
import SallyportTransport

/// Searches the libraries that are loaded into this process.
package struct LoadedLibraries: Sendable {
    /// The maximum number of paths in ``harmless``.
    private static let maximumCount = 4096

    private let names: [String]
    private let files: any IntegrityFiles
    /// The paths with harmless names. They are kept because comparing names takes longer than listing the paths.
    private let harmless = Locked<Set<String>>([])

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - names: The names to search for, or parts of them, in lower case.
    ///   - files: The file system.
    package init(named names: [String], files: any IntegrityFiles) {
        self.names = names
        self.files = files
    }

    /// The names of libraries of instrumentation frameworks, in lower case.
    static let instrumentation = [
        "fridagadget", "frida-agent", "frida-gadget", "libfrida", "libcycript", "libgumjs", "sslkillswitch",
        "libsandhook",
        "libwhale",
    ]

    /// The names of libraries that load changes of apps (tweaks) on jailbroken devices, in lower case.
    static let tweakLoaders = [
        "mobilesubstrate", "substrateloader", "substrateinserter", "substratebootstrap", "libsubstrate",
        "libsubstitute",
        "substitute-inserter", "tweakinject", "libhooker", "libellekit", "rocketbootstrap", "libblackjack",
    ]

    /// Returns the path of the first library whose name contains one of the names; `nil` if there is none.
    ///
    /// - Parameter check: The check, for errors.
    /// - Throws: ``IntegrityError/undetermined(_:reason:)`` if the libraries cannot be listed.
    func first(for check: IntegrityCheck) throws(IntegrityError) -> String? {
        let paths = try paths(check)
        return harmless.withLock { harmless in
            for path in paths where !harmless.contains(path) {
                let name = path.split(separator: "/").last?.lowercased() ?? ""
                if names.contains(where: { name.contains($0) }) { return VisibleText.line(path, longest: 200) }
                if harmless.count < Self.maximumCount { harmless.insert(path) }
            }
            return nil
        }
    }

    private func paths(_ check: IntegrityCheck) throws(IntegrityError) -> [String] {
        #if canImport(Darwin)
        return ProcessTracing.loadedImages
        #else
        return try mappedFiles(check)
        #endif
    }

    /// Returns the files in Linux's `/proc/self/maps`: the text of each line from its first slash (proc(5)).
    package func mappedFiles(_ check: IntegrityCheck) throws(IntegrityError) -> [String] {
        guard let maps = files.contents(of: "/proc/self/maps") else {
            throw .undetermined(check, reason: "/proc/self/maps cannot be read")
        }
        var paths: [String] = []
        // A file has a line for each of its segments, one after the other.
        var previous: ArraySlice<UInt8>?
        for line in [UInt8](maps).split(separator: UInt8(ascii: "\n")) {
            guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            let path = line[slash...]
            if path == previous { continue }
            previous = path
            paths.append(String(decoding: path, as: UTF8.self))
        }
        return paths
    }
}
