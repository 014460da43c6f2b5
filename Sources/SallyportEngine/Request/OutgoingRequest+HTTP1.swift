import HTTPTypes
import NIOHTTP1

extension OutgoingRequest {
    /// The head as HTTP/1.1 has it (RFC 9112, section 3).
    var http1Head: HTTPRequestHead {
        var headers = HTTPHeaders()
        headers.reserveCapacity(fieldCount + 3)
        headers.add(name: "Host", value: authority)
        forEachField { name, value in headers.add(name: name.rawName, value: value) }
        if let proxyAuthorization { headers.add(name: "Proxy-Authorization", value: proxyAuthorization) }
        if announcedLength == nil { headers.add(name: "Transfer-Encoding", value: "chunked") }
        return HTTPRequestHead(
            version: .http1_1,
            method: NIOHTTP1.HTTPMethod(rawValue: method.rawValue),
            uri: forwarding?.target ?? path,
            headers: headers
        )
    }
}
