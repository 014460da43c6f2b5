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

#if os(Linux)
/// Runs a closure while a process is being started: it has copies of all descriptors, and has not executed its program,
/// which would close them.
///
/// Before it executes its program the process opens two pipes, and each opening waits for the other end of the pipe.
func whileProcessStarts(_ body: () async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
        let (begun, mayGoOn) = (folder.appendingPathComponent("1").path, folder.appendingPathComponent("2").path)
        for path in [begun, mayGoOn] { try #require(mkfifo(path, 0o600) == 0) }
        async let process = runBlocking { started(opening: begun, mayGoOn) }
        let first = await runBlocking { open(begun, O_RDONLY | O_CLOEXEC) }
        defer { close(first) }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        let second = await runBlocking { open(mayGoOn, O_WRONLY | O_CLOEXEC) }
        close(second)
        var status: Int32 = -1
        let number = await process
        try #require(number > 0)
        #expect(waitpid(number, &status, 0) == number)
        #expect(status == 0)
        try outcome.get()
    }
}

/// Starts `true`, which opens one path for writing and another for reading before it is executed.
///
/// - Returns: The number of the process; negative if it could not be started.
private func started(opening first: String, _ second: String) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, first, O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 0, second, O_RDONLY, 0)
    var arguments = [strdup("true"), nil]
    defer { free(arguments[0]) }
    var process: pid_t = 0
    let problem = posix_spawn(&process, "/bin/true", &actions, nil, &arguments, environ)
    return problem == 0 ? process : -problem
}
#endif
