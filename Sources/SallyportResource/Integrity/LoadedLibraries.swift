import Foundation
import SallyportTransport

/// The libraries that are loaded into this process.
package struct LoadedLibraries: Sendable {
    private let files: any IntegrityFiles

    package init(files: any IntegrityFiles) {
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

    /// Returns the path of the first library whose name contains one of the given names; `nil` if there is none.
    ///
    /// - Throws: ``IntegrityError/undetermined(_:reason:)`` if the libraries cannot be listed.
    func first(named names: [String], for check: IntegrityCheck) throws(IntegrityError) -> String? {
        for path in try paths(check) {
            let name = path.split(separator: "/").last?.lowercased() ?? ""
            if names.contains(where: { name.contains($0) }) { return VisibleText.line(path, longest: 200) }
        }
        return nil
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
