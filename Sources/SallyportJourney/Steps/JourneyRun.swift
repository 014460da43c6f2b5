import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// One run of a tree: it sends the requests, and ensures that each node is sent once.
final class JourneyRun: Sendable {
    private struct State: Sendable {
        /// The number of the node that the server waits for.
        var current = 0
        /// A Boolean value that indicates whether a request is being sent, or the tree has ended.
        var isAnswered = true
        /// The session with which the tree has ended, until it is stored.
        var unsaved: JourneySession?
    }

    let journey: Journey
    /// The type of the run, `service` or `composite_advice`, and the tree unless the run was resumed.
    private let payload: [String: JsonValue]
    private let noSession: Bool
    private let state = Locked(State())

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - journey: The journey. Its client sends the requests.
    ///   - type: `service`, or `composite_advice`.
    ///   - tree: The tree, or the advice; `nil` for a run that was suspended.
    ///   - noSession: A Boolean value that indicates whether the server creates no session.
    init(_ journey: Journey, type: String = "service", tree: String?, noSession: Bool = false) {
        self.journey = journey
        self.noSession = noSession
        var payload: [String: JsonValue] = ["type": .string(type)]
        if let tree { payload["tree"] = .string(tree) }
        self.payload = payload
    }

    /// Sends the first request.
    ///
    /// - Parameters:
    ///   - type: The type of the action.
    ///   - parameters: The query.
    func start(_ type: ActionType, _ parameters: [(String, String)]) async throws(JourneyError) -> JourneyStep {
        try await step(after: request(type, parameters))
    }

    /// Sends the answers of a node.
    func answer(_ node: Node) async throws(JourneyError) -> JourneyStep {
        let body = try node.answered()
        try begin(node.number)
        do throws(JourneyError) {
            // The tree has ended: the server would refuse the answers, and only its session remains to be stored.
            if let session = state.withLock({ $0.unsaved }) { return try await end(with: session) }
            var request = request(.authenticate, [])
            request.post(contentType: NetworkConstants.contentTypeJSON, body: body.data)
            let answers = node.callbacks.flatMap { $0.raw.answers.values.compactMap(\.string) }
            return try await step(after: request, answering: answers)
        } catch {
            // The node can be sent again: the server may not have received it, and refuses it otherwise.
            state.withLock { $0.isAnswered = false }
            throw error
        }
    }

    private func begin(_ number: Int) throws(JourneyError) {
        let (isAnswered, current) = state.withLock { state in
            let isAnswered = state.isAnswered || number != state.current
            if !isAnswered { state.isAnswered = true }
            return (isAnswered, state.current)
        }
        if !isAnswered { return }
        if number < current - 1 {
            throw .outOfOrder(
                NetworkFailure(
                    "the node precedes the one that was answered last",
                    advice: "answer the node that the last call of next returned, or start the tree again"
                )
            )
        }
        throw .alreadyAnswered(
            NetworkFailure("the node has been answered", advice: "answer the node that next has returned")
        )
    }

    private func request(_ type: ActionType, _ parameters: [(String, String)]) -> HttpRequest {
        var request = journey.request(journey.configuration.authenticateURL, type)
        request.action = Action(type, payload: payload)
        request.setMethod(.post)
        for (name, value) in parameters { request.addParameter(name: name, value: value) }
        if noSession { request.addParameter(name: "noSession", value: "true") }
        return request
    }

    /// Sends a request, and stores the session if the tree ends with one.
    ///
    /// - Parameter answers: The texts of the answers in the request.
    private func step(
        after request: HttpRequest,
        answering answers: [String] = []
    ) async throws(JourneyError) -> JourneyStep {
        let response = try await journey.send(request)
        switch try JourneyResponse(response, to: answers) {
        case .node(let document, let callbacks):
            let number = state.withLock { $0.current } + 1
            let node = try Node(document, callbacks: callbacks, number: number, run: self)
            state.withLock { $0 = State(current: number, isAnswered: false) }
            return .node(node)
        case .success(let session?): return try await end(with: session)
        case .success(nil): return .success(nil)
        case .failure(let failure):
            // As far as the server says, it has not processed the answers: the node can be sent again.
            if failure.kind == .server || failure.kind == .refused { state.withLock { $0.isAnswered = false } }
            return .failure(failure)
        }
    }

    private func end(with session: JourneySession) async throws(JourneyError) -> JourneyStep {
        state.withLock { $0.unsaved = session }
        try await journey.replaceSession(with: session)
        state.withLock { $0.unsaved = nil }
        return .success(session)
    }
}

/// A response to a request of a tree. Its form has been checked.
enum JourneyResponse {
    case node(JsonDocument, callbacks: [JsonDocument])
    case success(JourneySession?)
    case failure(JourneyFailure)

    /// The maximum size of a response, in bytes.
    static let maximumSize = 1 << 20

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - answers: The texts of the answers in the request.
    /// - Throws: ``JourneyError/invalidResponse(_:)`` if it is neither a node, a success nor a failure.
    init(_ response: HttpResponse, to answers: [String] = []) throws(JourneyError) {
        let status = response.status
        func invalid(_ problem: String, advice: String? = nil) -> JourneyError {
            let request = response.request.description
            return .invalidResponse(NetworkFailure("the response \(problem)", request: request, advice: advice))
        }
        let body = response.body ?? Data()
        guard body.count <= Self.maximumSize else {
            throw invalid("has \(body.count) bytes, and the maximum is \(Self.maximumSize)")
        }
        let document: JsonDocument?
        var problem = "it is not an object"
        do throws(JsonDocumentError) {
            document = try JsonDocument(body.withoutByteOrderMark)
        } catch {
            document = nil
            problem = "\(error)"
        }
        guard let document, document.members != nil else {
            if JourneyFailure.isTemporary(status.code) {
                self = .failure(JourneyFailure(status: status.code, body: nil))
                return
            }
            let type = response.getHeader(name: NetworkConstants.headerContentType)
            let masker = SecretMasker(sentBy: response.request, and: answers)
            let message = ServerMessage(in: body, contentType: type, masking: masker).message.map { " (\"\($0)\")" }
            throw invalid(
                "(status \(status.code)) contains no JSON object: \(problem)\(message ?? "")",
                advice: "check the base URL, the realm and the paths"
            )
        }
        if !status.isSuccess() {
            guard status.isClientError() || status.isServerError() else {
                throw invalid("has the status \(status.code)", advice: "check the base URL")
            }
            self = .failure(JourneyFailure(status: status.code, body: document, answers: answers))
        } else if let callbacks = document.value("callbacks") {
            guard let elements = callbacks.elements else { throw invalid("has callbacks that are not an array") }
            self = .node(document, callbacks: elements)
        } else if let token = document["tokenId"]?.string, !token.isEmpty {
            guard let session = JourneySession(token: token, document) else {
                throw invalid("has a session token that is too long or contains characters that cannot be sent")
            }
            self = .success(session)
        } else if document.value("successUrl") != nil {
            self = .success(nil)
        } else if let code = document["code"].flatMap({ $0.number ?? $0.string }).flatMap(Int.init), code >= 400 {
            // Some servers and proxies send failures with a successful status.
            self = .failure(JourneyFailure(status: code, body: document, answers: answers))
        } else {
            throw invalid("is neither a node nor a success", advice: "check the base URL, the realm and the paths")
        }
    }
}

extension JsonDocument {
    /// Returns a member of an object; `nil` if there is none, or if it is `null`.
    fileprivate func value(_ name: String) -> JsonDocument? {
        self[.member(name)].flatMap { $0.isNull ? nil : $0 }
    }
}
