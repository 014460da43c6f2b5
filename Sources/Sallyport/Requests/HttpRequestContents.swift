import Foundation
import HTTPTypes
import SallyportTransport

/// The properties of a request. They are stored on the heap, as copies would enlarge the frame of each function that a call awaits.
struct HttpRequestContents: Sendable {
    var url: String?
    var parameters: [(name: String, value: String)] = []
    var body: RequestBody = .none
    var method = HttpMethod.get
    var fields = HTTPFields()
    var cookieOrigin: String?
    var boundHeaders: [BoundHeader] = []
    var expectsContinue = false
    var requiresSecureTransport = false
    var isTraced = false
    var carriesOwnCredentials = false

    /// The properties that few requests have; `nil` if none has been set. They are stored separately, so that contents without them can be
    /// copied in little time.
    private(set) var options: CopyOnWriteBox<HttpRequestOptions>?

    /// The same properties, for changes. They are created by the first change.
    var mutableOptions: HttpRequestOptions {
        get { options?.value ?? HttpRequestOptions() }
        _modify {
            // The reference is moved, because a second one would make the change copy the options.
            var changed = options.take() ?? CopyOnWriteBox(HttpRequestOptions())
            defer { options = changed }
            yield &changed.value
        }
    }
}

/// The properties that few requests have.
struct HttpRequestOptions: Sendable {
    var urlTemplate: String?
    var timeout: TimeInterval?
    var timeouts: Timeouts?
    var trailers: (@Sendable () async throws -> HTTPFields)?
    var onInformational: (@Sendable (HTTPResponse) -> Void)?
    var onInformationalFrom: (@Sendable (HTTPResponse, _ url: String) -> Void)?
    var action: Action?
    var retry: CopyOnWriteBox<RetryPolicy>?
    var firstOrigin: String?
    var lastEvent: LastEvent?
    var problems: [RequestProblem] = []
}

/// A part of a request that is replaced when it is set again.
enum RequestPart: Sendable, Equatable {
    case method
    /// The headers with a name, in lower case.
    case header(String)
    case body
    case timeout
}

/// An invalid value that a method of a request has received.
struct RequestProblem: Sendable {
    let failure: NetworkFailure
    /// The part to which the value belongs; `nil` if the value is not replaced when a part is set again.
    let part: RequestPart?
}
