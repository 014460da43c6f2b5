import ArgumentParser
import Sallyport

/// All that can be said about the requests of transfers.
struct TransferRequestOptions: ParsableArguments {
    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup
    var client: TransferClientOptions

    /// A request to a URL, without a body.
    ///
    /// - Throws: A failure that says what is wrong with it.
    func request(to url: String) throws -> HttpRequest {
        try client.check(url)
        var request = HttpRequest(url: url)
        apply(to: &request)
        _ = try request.head()
        return request
    }

    /// Puts all into a request but its method and body.
    func apply(to request: inout HttpRequest) {
        head.apply(to: &request)
        client.cookies.apply(to: &request)
        request.timeouts = client.timeouts
    }
}
