import Foundation
import Sallyport

/// An argument that a command cannot use, such as a second URL or a field in the syntax of HTTPie.
enum SurplusArgument {
    /// The option for the meaning of an argument, by command.
    private static let forURLs = [
        "login": "use --issuer with the URL of the server", "doctor": "use --issuer with the URL of the server",
        "demo": "the demo starts its own server",
    ]

    /// Returns a message that names the option for what the argument seems to mean. It quotes no value, which may be a secret.
    ///
    /// - Parameters:
    ///   - command: The name of the command.
    ///   - usesRemoteName: A Boolean value that indicates whether the option -O precedes or follows the argument.
    static func problem(with argument: String, of command: String, usesRemoteName: Bool = false) -> String {
        let shown = "unexpected argument \"\(VisibleText.line(name(in: argument), longest: 100))\""
        guard command == "request" || SallyportTool.methodCommands.contains(command) else {
            let isURL = argument.contains("://")
            if isURL, let advice = forURLs[command] { return "unexpected URL; \(advice)" }
            if !isURL, command == "login" {
                return
                    "\(shown); the server asks for the user, and --profile names the profile; with --journey, use --answer name=USER"
            }
            if !isURL, ["token", "refresh", "whoami", "introspect", "logout", "doctor"].contains(command) {
                return "\(shown); use --profile for the name of a profile"
            }
            return "\(shown); sallyport \(command) --help shows the arguments"
        }
        if argument.hasPrefix("{") || argument.hasPrefix("[") {
            return "unexpected JSON text; write --json before it, as in --json '{\"name\": \"value\"}'"
        }
        if argument.contains("://") {
            return "unexpected second URL; run the command for each URL, or use sallyport download for files"
        }
        if argument.hasPrefix("@") { return "\(shown); use --body @file to send a file" }
        if argument.contains("==") { return "\(shown); use --query name=value for the URL's query" }
        if argument.contains(":=") { return "\(shown); use --json '{\"name\": value}' for a JSON body" }
        if argument.contains("=") {
            return "\(shown); use --json '{\"name\": \"value\"}' for a JSON body, or --field name=value for a form"
        }
        if argument.contains(":") { return "\(shown); use -H 'Name: value' for a header" }
        if argument == argument.uppercased(), SallyportTool.methodCommands.contains(argument.lowercased()) {
            return "\(shown); write the method before the URL, as in sallyport request \(argument) URL, or after -X"
        }
        if usesRemoteName { return "\(shown); -O takes no name, so use -o FILE in its place" }
        return "\(shown); the command has one URL, and an argument with spaces needs quotation marks"
    }

    /// Returns the text up to the first separator of name and value.
    private static func name(in argument: String) -> String {
        guard let end = argument.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return argument }
        return argument[...end] + "…"
    }
}
