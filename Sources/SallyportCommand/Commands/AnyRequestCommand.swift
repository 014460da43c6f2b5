import ArgumentParser
import Foundation
import Sallyport

/// Sends a request with any method. `sallyport URL` is short for it.
typealias AnyRequestCommand = RequestCommand<AnyMethodArguments>

/// The URL of a request, and its method if it is neither GET nor, with a body, POST.
struct AnyMethodArguments: RequestArguments {
    static let configuration = CommandConfiguration(
        commandName: "request",
        _superCommandName: "sallyport",
        abstract: "Sends a request with any method; sallyport <url> is short for it.",
        usage: """
            sallyport request [<method>] <url> [<options>]
            sallyport <url> [<options>]
            """,
        discussion: """
            The method is GET, or POST for a request with a body, unless it is given before the URL or with -X. A URL on this computer \
            may omit http://, as in localhost:8080/users.

            Options of curl have curl's meaning, or are refused with the option to use instead. The pieces of several -d, \
            --data-raw, --data-binary and --data-urlencode options are joined in this order. A file of -c is also read.

            Examples:
              sallyport https://api.example.com/users -d name=Ada
              sallyport request PROPFIND https://dav.example.com/files -H 'Depth: 1'
              sallyport localhost:8080/users -X DELETE
              sallyport https://example.com/large.iso -L -O
              sallyport request https://api.example.com/photos \\
                -F photo=@beach.jpg -F title=Beach

            A file of options (-K) has one option on each line, without its dashes if it is a long one, and followed by its \
            value: the line timeout 10 is --timeout 10. An equals sign or a colon may precede the value, quotation marks may \
            enclose it, and lines that begin with # are comments. All commands that send requests, also login and device, read \
            sallyport/sallyport.conf of XDG_CONFIG_HOME (~/.config), or the file that SALLYPORT_CONFIG names, if it exists. They \
            ignore options that only other commands have. Options in the arguments replace those of the file. With an empty \
            SALLYPORT_CONFIG, no file is read.
            """
    )

    @Argument(help: ArgumentHelp("The method, which may be omitted, and the http or https URL.", valueName: "url"))
    var arguments: [String]

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method of the request.", valueName: "method")
    )
    var explicitMethod: String?

    var address: RequestURL { RequestURL(arguments.last ?? "") }

    func method(hasBody: Bool, usesRemoteName: Bool) throws -> HttpMethod {
        try check(usesRemoteName: usesRemoteName)
        guard let name = arguments.count == 2 ? arguments[0] : explicitMethod else { return hasBody ? .post : .get }
        // The names of standard methods may be in lower case.
        let standard: [HttpMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        return standard.first { $0.rawValue == name.uppercased() } ?? HttpMethod(name) ?? .get
    }

    private func check(usesRemoteName: Bool) throws {
        let first = arguments[0]
        if arguments.count == 1, first.count > 2, first.allSatisfy({ $0.isASCII && $0.isUppercase }) {
            throw ValidationError(
                "The URL after the method is missing; write sallyport request \(first) https://example.com."
            )
        }
        let surplus = arguments.dropFirst(Self.isMethod(first) ? 2 : 1).first
        if let surplus {
            throw ValidationError(
                SurplusArgument.problem(with: surplus, of: "request", usesRemoteName: usesRemoteName)
            )
        }
        if let explicitMethod, arguments.count == 2 {
            throw ValidationError("Only one of the method \(first) and -X \(explicitMethod) can be used; omit -X.")
        }
        if let explicitMethod, !Self.isMethod(explicitMethod) {
            let shown = VisibleText.line(explicitMethod, longest: 100)
            throw ValidationError("-X needs a method such as PUT, not \"\(shown)\".")
        }
    }

    /// Returns a Boolean value that indicates whether a text can be a method (RFC 9110, section 9.1).
    private static func isMethod(_ text: String) -> Bool { HttpMethod(text) != nil }
}
