import HTTPTypes
import Sallyport
import SallyportStorage

/// The properties of a request that its span and its metrics contain.
struct RequestFacts: Sendable {
    /// A known method, or `_OTHER`.
    let method: String
    /// The method if it is not known.
    let unknownMethod: String?
    let server: ServerOrigin
    let template: String?
    let head: HTTPRequest
    /// The request. Its secrets are masked wherever they reappear.
    let request: HttpRequest
    /// The size of the body in bytes; `nil` if it is not recorded, if there is no body, or if its size is unknown before it is sent.
    let bodySize: Int64?

    var scheme: String { server.scheme }

    /// Returns `nil` for an invalid request, which a later stage refuses.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - knownMethods: The methods that are recorded with their name.
    ///   - recordsBodySize: `true` if the size of the body is recorded. Otherwise it is not determined, because the size of a file must be
    ///     read.
    init?(_ request: HttpRequest, knownMethods: Set<String>, recordsBodySize: Bool) async {
        guard let head = try? request.head(), let origin = try? Origin(of: head) else { return nil }
        let name = head.method.rawValue
        let isKnown = knownMethods.contains(name)
        method = isKnown ? name : "_OTHER"
        unknownMethod = isKnown ? nil : name
        server = ServerOrigin(origin)
        template = request.urlTemplate
        self.head = head
        self.request = request
        bodySize = recordsBodySize ? await request.body.size() : nil
    }
}

/// The properties of a response that its span and its metrics contain.
struct ResponseFacts: Sendable {
    let status: Int
    let connection: ConnectionFacts
    let fields: HTTPFields
    /// The number of bytes of a body that was received completely and that the transport has not decoded.
    private(set) var bodySize: Int64?

    init(_ response: HttpResponse) {
        status = response.status.code
        connection = response.connection
        fields = response.headers.fields
    }

    /// Returns `nil` if the failure occurred before the head of a response was received.
    init?(_ failure: NetworkFailure) {
        guard let received = failure.receivedHead else { return nil }
        status = received.head.status.code
        connection = received.connection
        fields = received.head.headerFields
    }

    /// Returns the facts with the size of the body.
    func with(bodySize: Int64?) -> ResponseFacts {
        var facts = self
        facts.bodySize = bodySize
        return facts
    }
}

extension ConnectionFacts.Version {
    /// The version number, such as `1.1`.
    var number: String { String(rawValue.dropFirst("HTTP/".count)) }
}

extension RequestBody {
    /// Returns the number of bytes; `nil` if there is no body, or if the number is unknown.
    fileprivate func size() async -> Int64? {
        switch self {
        case .none: nil
        case .data(let data): Int64(data.count)
        case .file(let url):
            try? await runBlocking { () throws(SentFile.Problem) in try SentFile.version(of: url) }.size
        case .stream(let stream): stream.length
        }
    }
}
