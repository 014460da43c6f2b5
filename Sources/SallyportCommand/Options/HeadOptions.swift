import ArgumentParser
import Sallyport

/// The header fields and query parameters of a request.
struct HeadOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, or a file with a header on each line. (repeatable)",
            valueName: "Name: value|@file|@-"
        ),
        transform: HeaderSource.init
    )
    var header: [HeaderSource] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter for the URL's query; it is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var query: [NameAndValue] = []

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

    /// Adds the query and headers to a request whose body has been set.
    ///
    /// A header of the user replaces one that other options set. A header that is specified twice is sent twice.
    ///
    /// - Parameter headers: The headers that ``headers()`` returned.
    /// - Throws: A failure if a header would replace the media type of a multipart form.
    func apply(_ headers: [HeaderArgument], to request: inout HttpRequest) throws(CommandFailure) {
        let contentType = NetworkConstants.headerContentType
        if request.getHeader(name: contentType)?.hasPrefix("multipart/form-data") == true,
            headers.contains(where: { $0.name.lowercased() == contentType.lowercased() })
        {
            throw CommandFailure(
                .usage,
                "Content-Type cannot be set with --part: the media type of a multipart form contains its boundary"
            )
        }
        for parameter in query { request.addParameter(name: parameter.name, value: parameter.value) }
        request.setHeader(name: NetworkConstants.headerUserAgent, value: "sallyport/\(sallyportVersion)")
        var names: Set<String> = []
        for header in headers {
            if names.insert(header.name.lowercased()).inserted {
                request.setHeader(name: header.name, value: header.value)
            } else {
                request.addHeader(name: header.name, value: header.value)
            }
        }
    }
}
