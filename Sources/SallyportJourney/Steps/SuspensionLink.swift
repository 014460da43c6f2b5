import Sallyport

/// The link with which a user continues a suspended tree.
struct SuspensionLink {
    /// The identifier of the suspended tree, which is a secret.
    let identifier: String

    /// The maximum length of a link, in bytes.
    private static let maximumLength = 16 << 10

    /// Reads a link.
    ///
    /// - Throws: ``JourneyError/invalidLink(_:)``, or ``JourneyError/foreignLink(_:)`` if its scheme, host or port differ from the
    ///   server's.
    init(_ url: String, of configuration: JourneyConfiguration) throws(JourneyError) {
        guard url.utf8.count <= Self.maximumLength, let origin = try? HttpRequest(url: url).origin() else {
            throw .invalidLink(NetworkFailure("the link is not an http or https URL", advice: "use the complete link"))
        }
        let server: String
        do throws(NetworkError) {
            server = try HttpRequest(url: configuration.baseURL).origin()
        } catch {
            throw .network(error)
        }
        guard origin == server else {
            throw .foreignLink(
                NetworkFailure(
                    "the link leads to \(origin), not to \(server); nothing was sent",
                    advice: "do not open it: unless the server has another address, someone else has sent it"
                )
            )
        }
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        let identifiers = QueryText.pairs(of: query).filter { $0.name == "suspendedId" }.map(\.value)
        guard identifiers.count == 1, let identifier = identifiers.first, !identifier.isEmpty else {
            throw .invalidLink(
                NetworkFailure(
                    "the link does not contain one identifier of a suspended tree (suspendedId)",
                    advice: "use the complete link of the latest message"
                )
            )
        }
        self.identifier = identifier
    }
}
