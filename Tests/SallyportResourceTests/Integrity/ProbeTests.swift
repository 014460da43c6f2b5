import Foundation
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportResource

#if os(Linux)
@Suite(.concurrencyLimited) struct DebuggerProbeTests {
    @Test func `A process that nobody traces passes`() throws {
        try DebuggerProbe(files: FakeFiles.linux).run()
        if !ObservedProcess.isCurrent { try DebuggerProbe(files: SystemIntegrityFiles()).run() }
    }

    @Test func `A tracing process is found with its name and number`() {
        let files = FakeFiles.linux
            .with("/proc/self/status", "Name:\tapp\nTracerPid:\t4711\n")
            .with("/proc/4711/comm", "gdb\n")
        #expect(throws: IntegrityError.debuggerAttached("gdb (process 4711)")) {
            try DebuggerProbe(files: files).run()
        }
    }

    @Test func `A tracing process of another user is found without its name`() {
        let files = FakeFiles.linux.with("/proc/self/status", "TracerPid:\t12\n")
        #expect(throws: IntegrityError.debuggerAttached("a program (process 12)")) {
            try DebuggerProbe(files: files).run()
        }
    }

    @Test func `Control characters in the name of a tracing process are escaped`() {
        let files = FakeFiles.linux.with("/proc/self/status", "TracerPid:\t12\n").with(
            "/proc/12/comm",
            "g\u{1B}[31mdb\n"
        )
        #expect(throws: IntegrityError.debuggerAttached("g\\u{1B}[31mdb (process 12)")) {
            try DebuggerProbe(files: files).run()
        }
    }

    @Test(arguments: [nil, "", "Name:\tapp\n", "TracerPid:\tnone\n"])
    func `A process whose tracer cannot be determined does not pass`(status: String?) {
        let files = FakeFiles(files: status.map { ["/proc/self/status": $0] } ?? [:])
        #expect(throws: IntegrityError.undetermined(.debugger, reason: "/proc/self/status cannot be read")) {
            try DebuggerProbe(files: files).run()
        }
    }
}

@Suite(.concurrencyLimited) struct HookingProbeTests {
    private func probe(_ files: FakeFiles, _ environment: [String: String] = [:]) -> HookingProbe {
        HookingProbe(files: files) { environment[$0] }
    }

    @Test func `A process with libraries of the system only passes`() throws {
        try probe(.linux).run()
        try probe(.linux, ["LD_PRELOAD": ""]).run()
        try probe(FakeFiles.linux.with("/etc/ld.so.preload", "# none\n\n")).run()
    }

    @Test(arguments: ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"])
    func `A variable that adds libraries is found`(name: String) {
        #expect(throws: IntegrityError.hooked("the variable \(name) is set to /tmp/hook.so")) {
            try probe(.linux, [name: "/tmp/hook.so"]).run()
        }
    }

    @Test(
        arguments: [
            "/tmp/frida-agent-64.so", "/data/local/re.frida.server/frida-agent-64.so", "/opt/app/FridaGadget.so",
            "/usr/lib/libcycript.so", "/opt/with spaces/libfrida-gum.so",
        ]
    )
    func `A library of an instrumentation framework is found`(path: String) throws {
        let maps = try #require(FakeFiles.linux.files["/proc/self/maps"])
        let files = FakeFiles.linux.with("/proc/self/maps", maps + "7f2b-7f2c r-xp 00000000 08:01 140 \(path)\n")
        #expect(throws: IntegrityError.hooked("the library \(path) is loaded")) { try probe(files).run() }
    }

    @Test func `A library that is loaded after an earlier check is found, each time`() throws {
        let shared = Locked(FakeFiles.linux)
        let probe = HookingProbe(files: SharedFiles(files: shared)) { _ in nil }
        try probe.run()
        shared.withLock { $0 = $0.with("/proc/self/maps", "1-2 r-xp 0 08:01 1 /tmp/frida-agent.so\n") }
        for _ in 0..<2 {
            #expect(throws: IntegrityError.hooked("the library /tmp/frida-agent.so is loaded")) { try probe.run() }
        }
        shared.withLock { $0 = .linux }
        try probe.run()
    }

    @Test func `A folder with the name of an instrumentation framework is not found`() throws {
        let files = FakeFiles.linux.with("/proc/self/maps", "7f2b-7f2c r-xp 0 08:01 1 /home/ada/frida-agent/app\n")
        try probe(files).run()
    }

    @Test func `A library that the loader adds to every process is found`() {
        let files = FakeFiles.linux.with("/etc/ld.so.preload", "# all\n/usr/lib/libhook.so # since 2024\n")
        #expect(throws: IntegrityError.hooked("/etc/ld.so.preload adds /usr/lib/libhook.so")) {
            try probe(files).run()
        }
    }

    @Test func `A process whose libraries cannot be listed does not pass`() {
        #expect(throws: IntegrityError.undetermined(.hooking, reason: "/proc/self/maps cannot be read")) {
            try probe(FakeFiles()).run()
        }
    }

    @Test func `The libraries of this process are listed once each`() throws {
        let paths = try LoadedLibraries(named: [], files: SystemIntegrityFiles()).mappedFiles(.hooking)
        #expect(paths.contains { $0.contains("libc") })
        #expect(paths.allSatisfy { $0.hasPrefix("/") })
        let fake = try LoadedLibraries(named: [], files: FakeFiles.linux).mappedFiles(.hooking)
        #expect(fake == ["/opt/app/app", "/usr/lib/x86_64-linux-gnu/libc.so.6"])
    }
}

@Suite(.concurrencyLimited) struct CompromisedDeviceProbeTests {
    private func probe(_ files: FakeFiles, _ signs: CompromiseSigns? = .jailbreak) -> CompromisedDeviceProbe {
        CompromisedDeviceProbe(signs, files: files)
    }

    @Test func `A device without any sign passes`() throws {
        try probe(.linux).run()
    }

    @Test(arguments: CompromiseSigns.jailbreak.files)
    func `Each file of a jailbreak is found`(path: String) {
        #expect(throws: IntegrityError.deviceCompromised("\(path) exists")) {
            try probe(FakeFiles.linux.with(path)).run()
        }
    }

    @Test(arguments: CompromiseSigns.jailbreak.links)
    func `Each directory that is replaced by a link is found`(path: String) {
        var files = FakeFiles.linux
        files.links = [path]
        #expect(throws: IntegrityError.deviceCompromised("\(path) is a symbolic link")) { try probe(files).run() }
    }

    @Test(arguments: CompromiseSigns.jailbreak.forbidden)
    func `A sandbox that lets the app create files is found`(path: String) {
        var files = FakeFiles.linux
        files.creatable = [path]
        #expect(
            throws: IntegrityError.deviceCompromised("\(path) could be created, so the sandbox does not work")
        ) { try probe(files).run() }
    }

    @Test(arguments: ["/usr/lib/TweakInject.dylib", "/Library/MobileSubstrate.dylib", "/var/jb/libellekit.dylib"])
    func `A library that loads tweaks is found`(path: String) {
        let files = FakeFiles.linux.with("/proc/self/maps", "1-2 r-xp 0 08:01 1 \(path)\n")
        #expect(throws: IntegrityError.deviceCompromised("the library \(path) is loaded")) { try probe(files).run() }
    }

    @Test func `A platform without signs passes, even without information about the process`() throws {
        try probe(FakeFiles().with("/bin/bash"), nil).run()
        #expect(CompromiseSigns.current == nil)
    }
}
#endif

@Suite(.concurrencyLimited) struct SystemIntegrityFilesTests {
    private let files = SystemIntegrityFiles()

    @Test func `Files, links and folders exist, and only links are links`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            let link = folder.appendingPathComponent("link")
            try Data("text".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/no/such/target")
            for path in [folder.path, file.path, link.path] { #expect(files.exists(path)) }
            #expect(!files.exists(file.path + "x"))
            #expect(files.isSymbolicLink(link.path))
            #expect(!files.isSymbolicLink(file.path))
            #expect(files.contents(of: file.path) == Data("text".utf8))
            #expect(files.contents(of: link.path) == nil)
            #expect(files.contents(of: folder.path) == nil)
        }
    }

    @Test func `A file that could be created is removed, and an existing one is preserved`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            #expect(files.canCreate(file.path))
            #expect(!files.exists(file.path))
            try Data("text".utf8).write(to: file)
            #expect(!files.canCreate(file.path))
            #expect(files.contents(of: file.path) == Data("text".utf8))
            #expect(!files.canCreate(folder.path + "/no/such/file"))
        }
    }

    #if os(Linux)
    @Test func `Files of the system whose size is not known are read to their end`() throws {
        let status = try #require(files.contents(of: "/proc/self/status"))
        #expect(String(decoding: status, as: UTF8.self).contains("TracerPid:"))
    }
    #endif
}
