import Foundation
import SallyportStorage

@testable import SallyportResource

/// A file system with the files of a test.
struct FakeFiles: IntegrityFiles {
    /// The contents of the files, by their paths.
    var files: [String: String] = [:]
    var links: Set<String> = []
    var creatable: Set<String> = []

    func exists(_ path: String) -> Bool { files[path] != nil || links.contains(path) }

    func isSymbolicLink(_ path: String) -> Bool { links.contains(path) }

    func contents(of path: String) -> Data? { files[path].map { Data($0.utf8) } }

    func canCreate(_ path: String) -> Bool { creatable.contains(path) }

    /// The files of a Linux process that nobody traces and that has loaded only libraries of the system.
    static let linux = FakeFiles(files: [
        "/proc/self/status": "Name:\tapp\nState:\tR (running)\nTracerPid:\t0\nUid:\t0\n",
        "/proc/self/maps": """
        5581c000-5581d000 r--p 00000000 08:01 131 /opt/app/app
        7f2a1000-7f2a2000 r-xp 00000000 08:01 132 /usr/lib/x86_64-linux-gnu/libc.so.6
        7f2a2000-7f2a3000 rw-p 00001000 08:01 132 /usr/lib/x86_64-linux-gnu/libc.so.6
        7f2a3000-7f2a4000 rw-p 00000000 00:00 0
        7ffc1000-7ffc2000 rw-p 00000000 00:00 0 [stack]

        """,
    ])

    /// Returns this file system with another file.
    func with(_ path: String, _ content: String = "") -> FakeFiles {
        var files = self
        files.files[path] = content
        return files
    }
}

/// A file system that a test changes.
struct SharedFiles: IntegrityFiles {
    let files: Locked<FakeFiles>

    func exists(_ path: String) -> Bool { files.withLock { $0.exists(path) } }

    func isSymbolicLink(_ path: String) -> Bool { files.withLock { $0.isSymbolicLink(path) } }

    func contents(of path: String) -> Data? { files.withLock { $0.contents(of: path) } }

    func canCreate(_ path: String) -> Bool { files.withLock { $0.canCreate(path) } }
}
