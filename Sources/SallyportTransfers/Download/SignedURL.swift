import Sallyport

/// Recognizes URLs that a storage service has signed. The signature differs in each URL of the same file.
///
/// A signature is recognized only if it has all required parameters of a known scheme. These schemes sign the path and
/// the other parameters, which identify the file. Unknown parameters, such as an opaque token, are not removed, because
/// they may identify the file.
enum SignedURL {
    private struct Scheme {
        /// The parameters that every URL of the scheme has.
        let required: Set<String>
        /// The parameters that some URLs of the scheme have.
        let optional: Set<String>
    }

    private static let schemes =
        ["amz", "goog", "oss"].map { vendor in
            Scheme(
                required: [
                    "x-\(vendor)-signature", "x-\(vendor)-expires", "x-\(vendor)-date", "x-\(vendor)-credential",
                ],
                optional: [
                    "x-\(vendor)-algorithm", "x-\(vendor)-signedheaders", "x-\(vendor)-security-token",
                    "x-\(vendor)-signature-version", "x-\(vendor)-additional-headers",
                ]
            )
        } + [
            // The older schemes of the same services, and of content delivery networks.
            Scheme(
                required: ["signature", "expires"],
                optional: [
                    "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "key-pair-id", "keyname", "security-token",
                    "x-amz-security-token",
                ]
            ),
            Scheme(required: ["signature", "policy", "key-pair-id"], optional: []),
            // A shared access signature of Azure.
            Scheme(
                required: ["sig", "se", "sv"],
                optional: ["ss", "srt", "sp", "st", "spr", "sip", "sr", "skoid", "sktid", "skt", "ske", "sks", "skv"]
            ),
        ]

    /// Returns a URL without the parameters of its signature; `nil` if it is not signed.
    ///
    /// - Parameter url: The URL, without a fragment.
    static func withoutSignature(_ url: String) -> String? {
        guard let mark = url.firstIndex(of: "?") else { return nil }
        let parameters = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        func name(_ parameter: Substring) -> String { parameter.prefix { $0 != "=" }.lowercased() }
        let names = parameters.map(name)
        guard let scheme = schemes.first(where: { $0.required.isSubset(of: names) }) else { return nil }
        let signature = scheme.required.union(scheme.optional)
        // A repeated parameter may be more than a part of the signature.
        guard names.count(where: signature.contains) == signature.intersection(names).count else { return nil }
        let rest = parameters.filter { !signature.contains(name($0)) }
        return url[...mark] + rest.joined(separator: "&")
    }
}
