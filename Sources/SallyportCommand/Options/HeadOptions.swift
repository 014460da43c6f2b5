import ArgumentParser
import Sallyport

/// The header fields and query parameters of a request.
struct HeadOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, or a file with a header on each line; 'Name:' removes a header, 'Name;' sends it empty. (repeatable)",
            valueName: "Name: value|@file|@-"
        ),
        transform: HeaderSource.init
    )
    var header: [HeaderSource] = []

    @Option(
        name: [.customShort("A"), .long],
        parsing: .unconditional,
        help: ArgumentHelp("The header User-Agent. (default: sallyport and its version)", valueName: "name")
    )
    var userAgent: String?

    @Option(
        name: [.customShort("e"), .long],
        parsing: .unconditional,
        help: ArgumentHelp("The header Referer.", valueName: "url")
    )
    var referer: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter for the URL's query; it is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var query: [NameAndValue] = []

    /// Empty, because ``CommandArguments`` has replaced the option by those in the file.
    @Option(
        name: [.customShort("K"), .long],
        help: ArgumentHelp(
            "Read further options from a file. (repeatable; see sallyport help request)",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: [String] = []

    func validate() throws {
        if referer?.lowercased().hasSuffix(";auto") == true {
            throw ValidationError("--referer does not follow redirects, as ;auto does in curl; omit ;auto.")
        }
    }

    /// The options that read standard input.
    var standardInputUses: [String] { header.filter(\.isStandardInput).map { _ in "--header" } }

    /// Returns the headers. Call it only once, because they may be read from standard input.
    ///
    /// - Throws: A failure that names a file that cannot be read; `CancellationError`.
    func headers() async throws -> [HeaderArgument] {
        var headers: [HeaderArgument] = []
        for source in header { headers += try await source.headers() }
        return headers
    }

    /// Adds the query and headers to a request after its body has been set.
    ///
    /// A header of the user replaces one that other options set. A header that is specified twice is sent twice, and one
    /// without a value is removed.
    ///
    /// - Parameter headers: The headers that ``headers()`` returned.
    /// - Throws: A failure if a header would remove the host or the media type of a multipart form, or set another one.
    func apply(_ headers: [HeaderArgument], to request: inout HttpRequest) throws(CommandFailure) {
        if let host = headers.first(where: { $0.isRemoval && $0.name.lowercased() == "host" }) {
            throw CommandFailure(.usage, "every request has a Host header; remove -H '\(host.name):'")
        }
        for parameter in query { request.addParameter(name: parameter.name, value: parameter.value) }
        setHeader(NetworkConstants.headerUserAgent, userAgent ?? "sallyport/\(sallyportVersion)", of: &request)
        if let referer { setHeader("Referer", referer, of: &request) }
        var names: Set<String> = []
        let contentType = NetworkConstants.headerContentType.lowercased()
        let isMultipart = request.isMultipart
        for header in headers {
            if header.name.lowercased() == contentType, isMultipart {
                try request.setContentType(header.isRemoval ? "" : header.value)
            } else if header.isRemoval {
                request.removeHeader(name: header.name)
                names.remove(header.name.lowercased())
            } else if names.insert(header.name.lowercased()).inserted {
                request.setHeader(name: header.name, value: header.value)
            } else {
                request.addHeader(name: header.name, value: header.value)
            }
        }
    }

    /// Sets a header to the value of an option. As in curl, an empty value removes it.
    private func setHeader(_ name: String, _ value: String, of request: inout HttpRequest) {
        if value.isEmpty { request.removeHeader(name: name) } else { request.setHeader(name: name, value: value) }
    }
}
