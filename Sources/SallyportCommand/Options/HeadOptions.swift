import ArgumentParser
import Sallyport

/// What a request says beside its body.
struct HeadOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header. (repeatable)", valueName: "Name: value"),
        transform: HeaderArgument.init
    )
    var header: [HeaderArgument] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter for the URL's query, which is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var query: [NameAndValue] = []

    /// Whether a header says what the body is.
    var hasContentType: Bool { header.contains { $0.name.lowercased() == "content-type" } }

    /// Puts it into a request that has its body.
    ///
    /// A header of the user takes the place of one that was made from other options; given twice, it is sent twice.
    func apply(to request: inout HttpRequest) {
        for parameter in query { request.setParameter(name: parameter.name, value: parameter.value) }
        request.setHeader(name: NetworkConstants.headerUserAgent, value: "sallyport/\(sallyportVersion)")
        var names: Set<String> = []
        for header in header {
            if names.insert(header.name.lowercased()).inserted {
                request.setHeader(name: header.name, value: header.value)
            } else {
                request.addHeader(name: header.name, value: header.value)
            }
        }
    }
}
