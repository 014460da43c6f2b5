import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CompletionTests {
    @Test(arguments: [["whoami", "--", "--profile"], ["get", "--", "--auth"]])
    func `Shells complete the names of profiles`(option: [String]) async throws {
        try await withTemporaryDirectory { home in
            for (name, file) in [("work", "profile.json"), ("phone", "resource.json"), ("empty", "other.json")] {
                let folder = home.appendingPathComponent(name)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                _ = try folder.file(file, "{}")
            }
            let outcome = try await Tool.run(
                ["---completion"] + option + ["2", "0", "sallyport", option[0], option[2], ""],
                environment: Tool.environment(home: home)
            )
            #expect(outcome.text == "phone\nwork\n", "\(outcome.errors)")
            #expect(outcome.status == 0)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `The script of each shell asks the command for profiles, and completes the names of files`(shell: String)
        async throws
    {
        let script = try await Tool.run("completions", shell).text
        #expect(script.contains("---completion"))
        let files = ["bash": "__sallyport_add_completions -f", "zsh": "_files", "fish": "-rF"][shell] ?? ""
        #expect(script.contains(files))
    }
}
