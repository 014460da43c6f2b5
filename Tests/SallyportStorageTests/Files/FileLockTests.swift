import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct FileLockTests {
    @Test func `A locked file cannot be locked again until it is closed`() async throws {
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
    @Test func `A released lock is free even if a process being started inherited its descriptor`()
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
