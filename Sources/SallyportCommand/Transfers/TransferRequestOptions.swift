import ArgumentParser
import Sallyport

/// All that can be said about the requests of transfers.
struct TransferRequestOptions: ParsableArguments {
    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup
    var client: TransferClientOptions

    func validate() throws {
        try StandardInputUses.check(
            head.standardInputUses + client.authentication.given.standardInputUses + client.proxy.standardInputUses
        )
    }

    /// Returns a request to a URL, without a body.
    ///
    /// - Parameter headers: The headers of ``head``.
    /// - Throws: A failure that says what is wrong with it.
    func request(to url: String, _ headers: [HeaderArgument]) throws -> HttpRequest {
        try client.check(url)
        var request = HttpRequest(url: url)
        try apply(headers, to: &request)
        _ = try request.head()
        return request
    }

    /// Puts all into a request but its method and body.
    func apply(_ headers: [HeaderArgument], to request: inout HttpRequest) throws(CommandFailure) {
        try head.apply(headers, to: &request)
        client.cookies.apply(to: &request)
        request.timeouts = client.timeouts
    }
}
