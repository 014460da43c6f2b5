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
            switch SpecialField(canonical) {
            case .connectionSpecific: break
            case .te: if value.lowercased() == "trailers" { headers.add(name: "te", value: "trailers") }
            case .cookie: headers.addCrumbs(of: value)
            case .credentials: headers.add(name: canonical, value: value, indexing: .neverIndexed)
            case nil where connectionOptions.contains { $0 == canonical }: break
            case nil: headers.add(name: canonical, value: value)
            }
        }
        return headers
    }
}

/// A field that HTTP/2 sends in another form, or does not send (RFC 9113, section 8.2.2).
private enum SpecialField {
    case connectionSpecific, te, cookie, credentials

    /// Returns the field with a canonical name; `nil` for all other names.
    init?(_ name: String) {
        // Most names differ in length, which is compared faster than text.
        switch name.utf8.count {
        case 2 where name == "te": self = .te
        case 6 where name == "cookie": self = .cookie
        case 7 where name == "upgrade": self = .connectionSpecific
        case 10 where name == "connection" || name == "keep-alive": self = .connectionSpecific
        case 13 where name == "authorization": self = .credentials
        case 16 where name == "proxy-connection": self = .connectionSpecific
        case 17 where name == "transfer-encoding": self = .connectionSpecific
        case 19 where name == "proxy-authorization": self = .credentials
        default: return nil
        }
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
