import ArgumentParser
import Sallyport

/// What a request says beside its body.
struct HeadOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, or a file of headers, one a line. (repeatable)",
            valueName: "Name: value|@file|@-"
        ),
        transform: HeaderSource.init
    )
    var header: [HeaderSource] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter for the URL's query, which is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var query: [NameAndValue] = []

    /// The options that read standard input.
    var standardInputUses: [String] { header.filter(\.isStandardInput).map { _ in "--header" } }

    /// Returns the headers. Call it once only, as they may come from standard input.
    ///
    /// - Throws: A failure that names a file that cannot be read; `CancellationError`.
    func headers() async throws -> [HeaderArgument] {
        var headers: [HeaderArgument] = []
        for source in header { headers += try await source.headers() }
        return headers
    }

    /// Adds the query and headers to a request whose body has been set.
    ///
    /// A header of the user takes the place of one that was made from other options; given twice, it is sent twice.
    ///
    /// - Parameter headers: The headers that ``headers()`` returned.
    /// - Throws: A failure if a header would replace the media type of a multipart form.
    func apply(_ headers: [HeaderArgument], to request: inout HttpRequest) throws(CommandFailure) {
        let contentType = NetworkConstants.headerContentType
        if request.getHeader(name: contentType)?.hasPrefix("multipart/form-data") == true,
            headers.contains(where: { $0.name.lowercased() == contentType.lowercased() })
        {
            throw CommandFailure(.usage, "the media type of a multipart form holds its boundary, and cannot be given")
        }
        for parameter in query { request.setParameter(name: parameter.name, value: parameter.value) }
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
