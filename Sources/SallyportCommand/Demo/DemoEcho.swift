/// What the server's echo says of the request that it received.
struct DemoEcho: Decodable {
    struct Parameter: Decodable {
        let name: String
        let value: String
    }

    let method: String
    let target: String
    let query: [Parameter]
    /// Names in lower case.
    let headers: [String: [String]]
    let body: String
}
