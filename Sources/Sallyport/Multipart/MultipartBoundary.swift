import SallyportTransport

/// The boundary between parts (RFC 2046, section 5.1.1).
enum MultipartBoundary {
    /// The maximum length in bytes.
    static let maximumLength = 70

    private static let characters = ASCIISet.letters.union(.digits).union(ASCIISet("'()+_,-./:=? "))
    private static let tokenCharacters = ASCIISet.letters.union(.digits).union(ASCIISet("'+_-."))

    /// Returns a random boundary, which no part can contain.
    static func random() -> String {
        let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        return "sallyport-" + random.joined()
    }

    /// Returns the reason why a boundary is invalid; `nil` if it is valid.
    static func problem(with boundary: String) -> String? {
        if boundary.isEmpty { return "is empty" }
        if boundary.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if !boundary.utf8.allSatisfy(characters.contains) { return "has characters that RFC 2046 does not allow" }
        return boundary.hasSuffix(" ") ? "ends with a space" : nil
    }

    /// Returns the boundary in the value of a `Content-Type` header; `nil` if the type is not multipart or the boundary is invalid.
    static func of(contentType: String) -> String? {
        var scanner = HeaderScanner(Array(contentType.utf8))
        guard scanner.leadingValue().hasPrefix("multipart/") else { return nil }
        while let name = scanner.parameterName() {
            let value = HeaderScanner.text(scanner.value())
            if name == "boundary" { return problem(with: value) == nil ? value : nil }
        }
        return nil
    }

    /// Returns the boundary as a parameter of a media type, in quotes if necessary.
    static func quoted(_ boundary: String) -> String {
        boundary.utf8.allSatisfy(tokenCharacters.contains) ? boundary : "\"\(boundary)\""
    }
}
