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

    /// Calls the function that the script registers, with the variables that bash sets when the tabulator key is pressed.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")),
        arguments: [
            // The words as bash separates them, the line, and the completions of its last word
            (["get", "--fol"], "get --fol", "--follow"),
            (["get", "http", ":", "//x", "--fol"], "get http://x --fol", "--follow"),
            (["get", "http", ":", "//x", ":", "80/", "--fol"], "get http://x:80/ --fol", "--follow"),
            (["get", "localhost", ":", "8080/echo", "--fol"], "get localhost:8080/echo --fol", "--follow"),
            (["get", "-H", "A", ":", "b", "http", ":", "//x", "--fol"], "get -H A:b http://x --fol", "--follow"),
            (["get", "--color", "=", "auto", "x", "--fol"], "get --color=auto x --fol", "--follow"),
            (["get", "-d", "'a b:c'", "http", ":", "//x", "--fol"], "get -d 'a b:c' http://x --fol", "--follow"),
            (["get", "--color", "="], "get --color=", "auto always never"),
            (["get", "--color", "=", "al"], "get --color=al", "always"),
            (["get", "http", ":", "//x", "--color", "=", "al"], "get http://x --color=al", "always"),
            (["get", "--auth", "=", "wo"], "get --auth=wo", "work"),
            (["get", "http", ":", "//x", "--auth", "wo"], "get http://x --auth wo", "work"),
            (["get", "--cacert", "=", "ca"], "get --cacert=ca", "ca.pem"),
            (["get", "--cacert", "=", "\"ca"], "get --cacert=\"ca", "ca.pem"),
            (["get", "http", ":"], "get http:", ""),
            (["who"], "who", "whoami"),
        ]
    )
    func `bash completes options after a URL, and values after an equals sign`(
        words: [String],
        line: String,
        completions: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let profile = folder.appendingPathComponent("work")
            try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
            _ = try profile.file("profile.json", "{}")
            _ = try folder.file("ca.pem", "")
            let script = try folder.file("script.bash", try await Tool.run("completions", "bash").text)
            // bash replaces the text behind the last separator, and passes it as the second argument.
            let test = """
                cd "$1"; source "$2"; COMP_LINE="$0 $3"; COMP_POINT=${#COMP_LINE}; shift 3
                COMP_WORDS=("$0" "$@")
                COMP_CWORD=$#; current="${!#}"; current="${current#[=:\\"]}"
                function=$(complete -p sallyport); function="${function#*-F }"; function="${function%% *}"
                "$function" "$0" "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[*]}"
                """
            let bash = try RunningTool(
                executable: URL(fileURLWithPath: "/bin/bash"),
                arguments: ["-c", test, try Tool.find().path, folder.path, script, line] + words,
                input: Data(),
                environment: Tool.environment(home: folder)
            )
            let outcome = try await bash.outcome()
            #expect(outcome.text == completions + "\n", "\(outcome.errors)")
            #expect(outcome.errors.isEmpty)
        }
    }
}
