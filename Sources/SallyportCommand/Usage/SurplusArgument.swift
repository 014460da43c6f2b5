import Foundation
import Sallyport

/// An argument for which a command has no use, such as a second URL or a field in the manner of HTTPie.
enum SurplusArgument {
    /// Returns a message that names the option for what the argument seems to mean. It quotes no value, which may be a secret.
    ///
    /// - Parameter command: The name of the command.
    static func problem(with argument: String, of command: String) -> String {
        let names = ["get", "head", "post", "put", "patch", "delete", "options", "request"]
        let shown = "unexpected argument \"\(VisibleText.line(name(in: argument), longest: 100))\""
        guard names.contains(command) else { return "\(shown); sallyport \(command) --help shows the arguments" }
        if argument.contains("://") {
            return "unexpected second URL; run the command for each URL, or use sallyport download for files"
        }
        if argument.hasPrefix("@") { return "\(shown); use --body @file to send a file" }
        if argument.contains("==") { return "\(shown); use --query name=value for the URL's query" }
        if argument.contains(":=") { return "\(shown); use --json '{\"name\": value}' for a JSON body" }
        if argument.contains("=") {
            return "\(shown); use --json '{\"name\": \"value\"}' for a JSON body, or --form name=value for a form"
        }
        if argument.contains(":") { return "\(shown); use -H 'Name: value' for a header" }
        return "\(shown); the command has one URL, and an argument with spaces needs quotation marks"
    }

    /// Returns the text up to the first separator of name and value.
    private static func name(in argument: String) -> String {
        guard let end = argument.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return argument }
        return argument[...end] + "…"
    }
}
