import SallyportTransport

/// A set of servers, each identified by its origin: scheme, host and port.
///
/// Credentials for a set are never sent to other servers. Origins are compared in one normalized form: scheme
/// and host in lower case, international host names in ASCII, and without the default port of the scheme.
///
/// ```swift
/// let origins = try OriginSet(["https://api.example.com/v1", "https://files.example.com:8443"])
/// origins.contains("https://API.example.com:443/users")  // true
/// origins.contains("http://api.example.com/users")  // false
///
/// config.authentication = [BasicAuthentication(user: "ada", password: password, for: origins)]
/// ```
public struct OriginSet: Hashable, Sendable {
    private let origins: Set<String>

    /// Creates a set from the URLs of servers.
    ///
    /// - Parameter urls: Absolute `http` and `https` URLs. Paths and queries are ignored.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there is no URL, or if one of them is invalid.
    public init(_ urls: [String]) throws(NetworkError) {
        if urls.isEmpty {
            throw .invalidRequest(
                NetworkFailure(
                    "the set of origins is empty",
                    advice: "specify at least one, such as https://api.example.com"
                )
            )
        }
        var origins: Set<String> = []
        for url in urls {
            do throws(NetworkError) {
                origins.insert(try RequestTarget(url: url).origin)
            } catch {
                throw .invalidRequest(
                    NetworkFailure("an origin is invalid: \(error.failure.reason)", advice: error.failure.advice)
                )
            }
        }
        self.origins = origins
    }

    /// Returns a Boolean value that indicates whether the origin of a URL is in the set.
    ///
    /// - Parameter url: An absolute URL. An invalid URL is not in any set.
    public func contains(_ url: String) -> Bool {
        (try? RequestTarget(url: url)).map(contains) ?? false
    }

    /// Returns a Boolean value that indicates whether a request goes to an origin in the set.
    ///
    /// - Parameter request: The request. If its URL is invalid, the result is `false`.
    public func contains(_ request: HttpRequest) -> Bool {
        (try? RequestTarget(url: request.url, parameters: request.parameters)).map(contains) ?? false
    }

    func contains(_ target: RequestTarget) -> Bool {
        origins.contains(target.origin)
    }
}

extension OriginSet: Sequence {
    /// Returns an iterator over the origins, such as `https://api.example.com`, in alphabetical order.
    public func makeIterator() -> IndexingIterator<[String]> {
        origins.sorted().makeIterator()
    }
}

extension OriginSet: CustomStringConvertible {
    /// The origins, separated by commas.
    public var description: String { joined(separator: ", ") }
}
