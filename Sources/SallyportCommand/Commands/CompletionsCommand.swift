import ArgumentParser

/// Prints the script that teaches a shell the options of this command.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: "For example: sallyport completions bash > ~/.local/share/bash-completion/completions/sallyport"
    )

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    func run() {
        print(SallyportTool.completionScript(for: shell.completionShell))
    }
}
