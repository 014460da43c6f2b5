import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportTransport

/// The head of a request, as payload encryption protects it.
package struct PayloadRequestHead: Sendable {
    let method: String
    /// The host in lower case, with the port unless it is the scheme's default.
    let authority: String
    /// The path and the query.
    let target: String
    /// A Boolean value that indicates whether an encrypted body follows.
    package let hasBody: Bool
    let fields: HTTPFields

    /// Creates the head of a request as it is sent.
    package init(_ head: HTTPRequest, hasBody: Bool) {
        method = head.method.rawValue
        // Only letters of ASCII: the Kelvin sign would become a k, which is another host.
        let bytes = (head.authority ?? "").utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        authority = String(decoding: bytes, as: UTF8.self)
        target = head.path ?? ""
        self.hasBody = hasBody
        fields = head.headerFields
    }

    /// Returns the bytes that are authenticated for a request with a counter, and from which the key of its body is derived.
    func context(session: String, counter: UInt64) -> Data {
        var context = PayloadContext("request")
        context.add(session)
        context.add("\(counter)")
        context.add(method)
        context.add(authority)
        context.add(target)
        context.add(hasBody ? "body" : "no body")
        context.add(fields, PayloadFields.ofRequests)
        return context.bytes
    }
}

/// The head of a response, as payload encryption protects it.
package struct PayloadResponseHead: Sendable {
    let status: Int
    /// A Boolean value that indicates whether an encrypted body follows.
    package let hasBody: Bool
    let fields: HTTPFields

    /// Creates the head of a response as it is sent.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The header fields.
    ///   - method: The method of the request.
    package init(status: Int, fields: HTTPFields, to method: HTTPRequest.Method) {
        self.status = status
        self.fields = fields
        hasBody = method != .head && status != 204 && status != 304 && fields[.contentType] == PayloadFields.mediaType
    }

    /// Returns the bytes that are authenticated for a response, and from which the key of its body is derived.
    func context(answering request: Data) -> Data {
        var context = PayloadContext("response")
        context.add(request)
        context.add("\(status)")
        context.add(hasBody ? "body" : "no body")
        context.add(fields, PayloadFields.ofResponses)
        return context.bytes
    }
}

/// The concatenation of values, each preceded by its length.
private struct PayloadContext {
    private(set) var bytes = Data()

    init(_ kind: String) {
        add("\(PayloadFields.label) \(kind)")
    }

    mutating func add(_ value: some DataProtocol) {
        add(count: value.count)
        bytes.append(contentsOf: value)
    }

    mutating func add(_ text: String) {
        add(Data(text.utf8))
    }

    /// Adds the values of fields in the order of their names. Those of each field are preceded by their number.
    mutating func add(_ fields: HTTPFields, _ names: [HTTPField.Name]) {
        for name in names {
            var values = fields[values: name].map { String($0.trimmingBlanks()) }
            // HTTP/2 may split this field (RFC 9113, section 8.2.3).
            if name == .cookie, !values.isEmpty { values = [values.joined(separator: "; ")] }
            add(count: values.count)
            for value in values { add(value) }
        }
    }

    private mutating func add(count: Int) {
        withUnsafeBytes(of: UInt32(count).bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The header fields of payload encryption, and how they are changed when a message is sealed and opened.
package enum PayloadFields {
    /// The start of each label from which keys are derived.
    static let label = "sallyport-payload-1"
    /// The media type of an encrypted body.
    package static let mediaType = "application/vnd.sallyport.payload"
    /// The media type of the messages of a handshake.
    package static let handshakeType = "application/jose"

    /// The fields of requests that are protected, in the order of the context.
    static let ofRequests = [
        "Payload-Content-Type", "Authorization", "DPoP", "Cookie", "Idempotency-Key", "User-Agent", "Last-Event-ID",
        "Prefer", "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
        "Upload-Offset", "Upload-Complete", "Upload-Length", "Upload-Draft-Interop-Version", "X-HTTP-Method-Override",
    ].map(HTTPField.Name.known)
    /// The fields of responses that are protected, in the order of the context.
    static let ofResponses = [
        "Payload-Content-Type", "Content-Range", "Content-Disposition", "ETag", "Last-Modified", "Location", "Link",
        "Retry-After", "WWW-Authenticate", "Authentication-Info", "DPoP-Nonce", "Set-Cookie", "Upload-Offset",
        "Upload-Complete", "Upload-Length", "Upload-Limit",
    ].map(HTTPField.Name.known)
    /// The fields that contain a hash of the content, from which a short content can be guessed.
    static let digests = ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].map(HTTPField.Name.known)
    /// The fields of responses that determine how long they are cached, besides `Cache-Control`.
    static let caching = ["Expires", "Age", "Vary", "Pragma"].map(HTTPField.Name.known)

    /// Returns a Boolean value that indicates whether a field of requests is protected.
    static func isProtected(_ name: HTTPField.Name) -> Bool { ofRequests.contains(name) }

    /// Removes the credentials of an opened request that a proxy may have added, because they are not protected.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - name: The field that may contain session tokens for the server, if any.
    package static func removeForeignCredentials(from fields: inout HTTPFields, sessionField name: HTTPField.Name?) {
        for field in fields where !isProtected(field.name) && (field.name == name || Redaction.isSecret(field)) {
            fields[field.name] = nil
        }
    }

    /// Replaces the `Content-Type` of a message that is sealed, combines the values of protected fields, and removes digests.
    package static func seal(_ fields: inout HTTPFields, hasBody: Bool) {
        fields[.payloadEncryption] = nil
        fields[.payloadEncryptionError] = nil
        fields[.payloadContentType] = fields[.contentType]
        fields[.contentType] = hasBody ? mediaType : nil
        for name in digests { fields[name] = nil }
        // HTTP libraries combine values (RFC 9110, section 5.3), which would change a sealed message.
        for name in ofRequests + ofResponses where name != .cookie && name != .setCookie {
            if fields[values: name].count > 1 { fields[name] = fields[name] }
        }
    }

    /// Restores the `Content-Type` of a message that is opened, and removes the fields of payload encryption and those that sealed messages
    /// do not have.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - hasBody: A Boolean value that indicates whether an encrypted body follows.
    package static func open(_ fields: inout HTTPFields, hasBody: Bool) {
        fields[.contentType] = fields[.payloadContentType]
        fields[.payloadContentType] = nil
        fields[.payloadEncryption] = nil
        fields[.payloadEncryptionError] = nil
        fields[.trailer] = nil
        for name in digests { fields[name] = nil }
        let length = hasBody ? fields[.contentLength].flatMap { Int64($0) }.flatMap(PayloadBodyLength.decrypted) : nil
        fields[.contentLength] = length.map { "\($0)" }
    }
}

extension HTTPField.Name {
    /// `Payload-Encryption`: the session, counter and tag of a request, or the tag of a response.
    package static let payloadEncryption = known("Payload-Encryption")
    /// `Payload-Encryption-Error`: the reason why a server refuses a request.
    package static let payloadEncryptionError = known("Payload-Encryption-Error")
    /// `Payload-Content-Type`: the `Content-Type` before encryption.
    package static let payloadContentType = known("Payload-Content-Type")

    fileprivate static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a token") }
        return name
    }
}

/// The value of `Payload-Encryption` in a request: `1;session="…";counter=7;tag="…"`, an item of RFC 9651.
package struct PayloadRequestSeal: Sendable, Equatable {
    /// The largest integer of RFC 9651.
    package static let largestCounter: UInt64 = 999_999_999_999_999

    package let session: String
    package let counter: UInt64
    package let tag: Data

    init(session: String, counter: UInt64, tag: Data) {
        self.session = session
        self.counter = counter
        self.tag = tag
    }

    /// Parses a value. Only the form of ``text`` is accepted.
    package init?(_ text: String) {
        // Strings with other characters can be equal although their bytes differ.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 4, let session = parts[1].value(of: "session"), let tag = parts[3].value(of: "tag"),
            parts[2].hasPrefix("counter="), let counter = UInt64(parts[2].dropFirst(8)),
            let bytes = Base64Url.decode(tag), Base64Url.decode(session)?.count == PayloadSession.idLength
        else { return nil }
        self.init(session: String(session), counter: counter, tag: bytes)
        guard self.text == text, (1...Self.largestCounter).contains(counter) else { return nil }
    }

    package var text: String { "1;session=\"\(session)\";counter=\(counter);tag=\"\(Base64Url.encode(tag))\"" }
}

/// The value of `Payload-Encryption` in a response: `1;tag="…"`.
package enum PayloadResponseSeal {
    static func text(_ tag: Data) -> String { "1;tag=\"\(Base64Url.encode(tag))\"" }

    /// Returns the tag of a value; `nil` for any other form.
    static func tag(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 2, let tag = parts[1].value(of: "tag").flatMap({ Base64Url.decode($0) }),
            self.text(tag) == text
        else { return nil }
        return tag
    }
}

extension Substring {
    /// Returns the value of a parameter in quotation marks.
    fileprivate func value(of name: String) -> Substring? {
        let start = name + "=\""
        guard hasPrefix(start), hasSuffix("\""), utf8.count > start.utf8.count else { return nil }
        return dropFirst(start.count).dropLast()
    }
}
