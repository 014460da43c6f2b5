import SallyportTransport

/// The line between the parts (RFC 2046, section 5.1.1).
enum MultipartBoundary {
    /// The longest that is allowed, in bytes.
    static let longest = 70

    private static let characters = ASCIISet.letters.union(.digits).union(ASCIISet("'()+_,-./:=? "))
    private static let tokenCharacters = ASCIISet.letters.union(.digits).union(ASCIISet("'+_-."))

    /// A random one, so that no part can hold it.
    static func random() -> String {
        let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        return "sallyport-" + random.joined()
    }

    /// What is wrong with a boundary, if anything is.
    static func problem(with boundary: String) -> String? {
        if boundary.isEmpty { return "is empty" }
        if boundary.utf8.count > longest { return "is longer than \(longest) bytes" }
        if !boundary.utf8.allSatisfy(characters.contains) { return "has characters that RFC 2046 does not allow" }
        return boundary.hasSuffix(" ") ? "ends with a space" : nil
    }

    /// The boundary that a header `Content-Type` announces; `nil` if it is not multipart or the boundary not allowed.
    static func of(contentType: String) -> String? {
        var scanner = HeaderScanner(Array(contentType.utf8))
        guard scanner.leadingValue().hasPrefix("multipart/") else { return nil }
        while let name = scanner.parameterName() {
            let value = HeaderScanner.text(scanner.value())
            if name == "boundary" { return problem(with: value) == nil ? value : nil }
        }
        return nil
    }

    /// As a parameter of a media type: in quotes if it has to be.
    static func quoted(_ boundary: String) -> String {
        boundary.utf8.allSatisfy(tokenCharacters.contains) ? boundary : "\"\(boundary)\""
    }
}
