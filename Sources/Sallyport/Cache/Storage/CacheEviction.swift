import Foundation
import SallyportStorage

/// The size and the last use of a stored response, which decide when it is removed to make space.
struct CacheUse<Identifier> {
    let identifier: Identifier
    /// The size in bytes.
    let size: Int64
    /// The time of the last use, in any unit.
    let time: Int64

    /// Returns the least recently used of some stored responses. Removing them reduces the total size to a maximum.
    static func leastRecent(of uses: [CacheUse], reducingTo maximum: Int64) -> [CacheUse] {
        var excess = uses.reduce(0) { $0 + $1.size } - maximum
        if excess <= 0 { return [] }
        var removed: [CacheUse] = []
        for use in uses.sorted(by: { $0.time < $1.time }) where excess > 0 {
            removed.append(use)
            excess -= use.size
        }
        return removed
    }
}

/// Bounds the size of a cache's directory, and removes what killed processes have left in it.
///
/// The directory is examined after each tenth of its maximum size that a process has stored, so that the cost of a stored byte does not
/// depend on the number of files. The first interval is random, so that many short processes that each store little examine it as often as
/// one long process.
final class CacheEviction: Sendable {
    /// The time after which an unlocked temporary file or an empty directory is not in use, in seconds. It covers the moment
    /// between the creation of a file and its locking.
    private static let unusedAge: TimeInterval = 60
    private static let blockSize: Int64 = 4096

    private let layout: CacheLayout
    private let maximumSize: Int64
    private let bytesBeforeScan: Locked<Int64>

    init(_ layout: CacheLayout, maximumSize: Int64) {
        self.layout = layout
        self.maximumSize = maximumSize
        bytesBeforeScan = Locked(Int64.random(in: 0...maximumSize / 10))
    }

    /// Records that a file has been stored, and removes others if necessary. Blocks for the disk.
    ///
    /// - Parameter length: The length of the file in bytes.
    func recordStored(_ length: Int64) {
        let isDue = bytesBeforeScan.withLock { left in
            left -= Self.sizeOnDisk(length)
            if left > 0 { return false }
            left = maximumSize / 10
            return true
        }
        if isDue { removeLeastRecentlyUsed() }
    }

    /// Removes temporary files of killed processes, and the least recently used files if the directory is nearly full. Does
    /// nothing while another process does the same. Blocks for the disk.
    func removeLeastRecentlyUsed() {
        guard let lock = try? FileLock(layout.lock), (try? lock.tryLock()) == true else { return }
        let now = Date().timeIntervalSince1970
        removeUnfinished(at: now)
        var uses: [CacheUse<URL>] = []
        var folders: [URL] = []
        for folder in layout.resourceFolders() {
            let names = (try? FileSystem.names(in: folder)) ?? []
            if let state = FileState(folder), !Self.isRecent(state, at: now) { folders.append(folder) }
            for url in names.map(folder.appendingPathComponent) {
                guard let state = FileState(url) else { continue }
                let use = CacheUse(identifier: url, size: Self.sizeOnDisk(state.size), time: state.version.modified)
                uses.append(use)
            }
        }
        if uses.reduce(0, { $0 + $1.size }) > maximumSize / 10 * 9 {
            for use in CacheUse.leastRecent(of: uses, reducingTo: maximumSize / 10 * 8) {
                _ = try? FileSystem.remove(use.identifier)
            }
        }
        // This fails for those that are not empty.
        for folder in folders { rmdir(folder.path) }
    }

    /// Removes temporary files that no process has locked, and directories that an interrupted removal has left.
    private func removeUnfinished(at now: TimeInterval) {
        for name in (try? FileSystem.names(in: layout.unfinished)) ?? [] {
            let url = layout.unfinished.appendingPathComponent(name)
            guard let state = FileState(url) else { continue }
            if state.isFile {
                guard !Self.isRecent(state, at: now), let lock = try? FileLock(url), (try? lock.isLocked()) == false
                else { continue }
            }
            _ = try? FileSystem.remove(url)
        }
    }

    private static func isRecent(_ state: FileState, at now: TimeInterval) -> Bool {
        now - TimeInterval(state.version.modified) / 1e9 < unusedAge
    }

    /// Returns the size of a file and of the directory that contains it, as file systems allocate them.
    private static func sizeOnDisk(_ length: Int64) -> Int64 {
        (length + blockSize - 1) / blockSize * blockSize + blockSize
    }
}
