import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct FileLockTests {
    @Test func `A file that is locked cannot be locked a second time, and is free once it is closed`() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("file")
            var first: OpenedFile? = try OpenedFile.guarded(url, creating: 0o600)
            #expect(first != nil)
            #expect(problem(opening: url) == EWOULDBLOCK)
            first = nil
            #expect(problem(opening: url) == nil)
        }
    }

    #if os(Linux)
    @Test func `A lock that is released is free although a process that is being started has the descriptor`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("file")
            var opened: OpenedFile? = try OpenedFile.guarded(url, creating: 0o600)
            let descriptor = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            var lock: FileLock? = FileLock(descriptor: descriptor)
            let isTaken = try lock?.tryLock()
            #expect(isTaken == true)
            #expect(opened != nil)
            try await whileProcessStarts {
                opened = nil
                lock = nil
                #expect(problem(opening: url) == nil)
                let other = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CLOEXEC)
                let isFree = try FileLock(descriptor: other).tryLock()
                #expect(isFree)
            }
        }
    }
    #endif

    private func problem(opening url: URL) -> Int32? {
        do throws(FileSystemError) {
            _ = try OpenedFile.guarded(url, creating: nil)
            return nil
        } catch {
            return error.code
        }
    }
}
