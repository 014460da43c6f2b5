#if os(Linux)
import Foundation
import SallyportStorage
import Testing

/// Runs a closure with the folder of a small file system in memory, and with a closure that changes its size.
public func withSmallDisk(
    _ size: String,
    _ body: (URL, (String) async throws -> Void) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        try await SmallDisk.require("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path)
        do {
            try await body(folder) { try await SmallDisk.require("mount", "-o", "remount,size=\($0)", folder.path) }
        } catch {
            try await SmallDisk.require("umount", "-l", folder.path)
            throw error
        }
        try await SmallDisk.require("umount", "-l", folder.path)
    }
}

/// A small file system in memory, which only root can create; see ``withSmallDisk(_:_:)``.
public enum SmallDisk {
    /// A Boolean value that indicates whether this process may mount a file system.
    public static let canBeMounted: Bool = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mount-\(UUID().uuidString)")
        guard getuid() == 0, mkdir(folder.path, 0o700) == 0 else { return false }
        defer { rmdir(folder.path) }
        guard run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path]) else { return false }
        return run(["umount", "-l", folder.path])
    }()

    fileprivate static func require(_ arguments: String...) async throws {
        let isSuccess = await runBlocking { run(arguments) }
        try #require(isSuccess, "\(arguments)")
    }

    /// Runs a program, and returns a Boolean value that indicates whether it succeeded.
    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
#endif
