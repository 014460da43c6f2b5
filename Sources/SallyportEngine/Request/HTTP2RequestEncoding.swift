import HTTPTypes
import NIOHPACK

extension OutgoingRequest {
    /// The head in the format of HTTP/2 (RFC 9113, section 8.3.1).
    var http2Head: HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(fieldCount + 4)
        headers.add(name: ":method", value: method.rawValue)
        headers.add(name: ":scheme", value: origin.scheme.rawValue)
        headers.add(name: ":authority", value: authority)
        headers.add(name: ":path", value: path)
        let connectionOptions = connectionOptions
        forEachField { name, value in
            let canonical = name.canonicalName
            switch canonical {
            case "connection", "keep-alive", "proxy-connection", "upgrade", "transfer-encoding": break
            case "te": if value.lowercased() == "trailers" { headers.add(name: "te", value: "trailers") }
            case "cookie": headers.addCrumbs(of: value)
            case "authorization", "proxy-authorization":
                headers.add(name: canonical, value: value, indexing: .neverIndexed)
            case _ where connectionOptions.contains { $0 == canonical }: break
            default: headers.add(name: canonical, value: value)
            }
        }
        return headers
    }
}

extension HPACKHeaders {
    /// Adds each cookie as a separate field, so that HPACK compresses the unchanged ones (RFC 9113, section 8.2.3).
    fileprivate mutating func addCrumbs(of cookies: String) {
        for cookie in cookies.split(separator: ";") {
            let crumb = String(cookie.drop { $0 == " " })
            // A short secret could be guessed from its compressed size (RFC 7541, section 7.1.3).
            let isShort = crumb.utf8.count < 20
            add(name: "cookie", value: crumb, indexing: isShort ? .neverIndexed : .indexable)
        }
    }
}
