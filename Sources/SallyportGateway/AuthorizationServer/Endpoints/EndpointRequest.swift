/// What the authorization server looks at in a request, whichever way it came.
struct GatewayEndpointRequest: Sendable {
    /// `POST` and so on.
    let method: String
    /// The path, without the query.
    let path: String
    /// The form.
    var parameters = FormParameters()
    /// The values of `Authorization`.
    var authorization: [String] = []
    /// The values of `DPoP`.
    var proofs: [String] = []

    /// The credentials of a scheme, where there is one `Authorization` header and it is of that scheme.
    func credentials(_ scheme: String) -> String? {
        guard authorization.count == 1 else { return nil }
        let parts = authorization[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
