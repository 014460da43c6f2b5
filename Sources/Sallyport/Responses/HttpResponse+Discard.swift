import SallyportTransport

extension HttpResponse {
    /// Reads what little there may be of the body, so that the connection can be used for the next request.
    package func discard() async {
        _ = try? await bodyStream.collect(upTo: 65_536)
    }
}
