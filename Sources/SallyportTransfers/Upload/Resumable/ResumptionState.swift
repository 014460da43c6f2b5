import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

/// The state of a resumable upload, through all its attempts and pauses.
final class ResumptionState: Sendable {
    fileprivate struct State {
        var resource: UploadResource?
        /// The reason why the resource that the server named is not used.
        var problem: UploadProblem?
        /// The largest offset of any resource of this upload.
        var highest: Int64 = 0
    }

    private let state = Locked(State())
    private let url: String
    private let sentBytes: SentBytes

    init(of url: String, _ sentBytes: SentBytes) {
        self.url = url
        self.sentBytes = sentBytes
    }

    var resource: UploadResource? { state.withLock { $0.resource } }
    var problem: UploadProblem? { state.withLock { $0.problem } }

    /// The largest number of bytes that the server has acknowledged.
    var highest: Int64 { state.withLock { $0.highest } }

    /// Continues with the resource that an earlier process created.
    func resume(_ resource: UploadResource) {
        state.withLock { $0.resource = resource }
    }

    /// Discards the resource, as the upload starts over.
    func startOver() {
        state.withLock { $0.resource = nil }
        sentBytes.reset()
    }

    /// Handles a 104 response, which announces the upload resource or an offset.
    ///
    /// - Parameter source: The URL that sent the response. If redirects have led to another origin, its response is
    ///   ignored: the resource will receive requests with the credentials for the upload's origin.
    /// - Returns: The resource, if it is new.
    func receive(_ response: HTTPResponse, from source: String) -> UploadResource? {
        guard response.status.code == UploadFields.resumptionSupported else { return nil }
        guard isOfSameOrigin(source) else {
            state.withLock { $0.problem = Self.otherOrigin }
            return nil
        }
        let report = UploadReport(response.headerFields)
        let offered = sentBytes.offered
        return state.withLock { state in
            var isNew = false
            if state.resource == nil, let location = response.headerFields[.location] {
                do throws(UploadProblem) {
                    state.resource = try UploadResource(location: location, of: source)
                    isNew = true
                } catch {
                    state.problem = error
                }
            }
            state.apply(report.limits)
            // An offset that is too large is ignored: the offset is requested before the upload continues.
            if let offset = report.offset, offset <= offered { state.acknowledge(offset) }
            return isNew ? state.resource : nil
        }
    }

    /// - Throws: ``UploadProblem`` if redirects have led to another origin.
    func check(_ response: HttpResponse) throws(UploadProblem) {
        guard let source = response.request.url, isOfSameOrigin(source) else { throw Self.otherOrigin }
    }

    private static let otherOrigin = UploadProblem("the response came from an origin other than the upload's")

    private func isOfSameOrigin(_ other: String) -> Bool {
        guard let origin = (try? RequestTarget(url: url))?.origin else { return false }
        return (try? RequestTarget(url: other))?.origin == origin
    }

    /// Records the number of bytes that the server has.
    ///
    /// - Throws: ``UploadProblem`` if the number contradicts what was sent, or what the server stated before.
    func acknowledge(_ report: UploadReport, length: Int64?) throws(UploadProblem) -> Int64 {
        guard let offset = report.offset else {
            throw UploadProblem("the server did not state how many bytes it has")
        }
        let (offered, acknowledged) = (sentBytes.offered, resource?.acknowledged ?? 0)
        if offset > offered || offset > length ?? .max {
            throw UploadProblem("the server states that it has \(offset) bytes, but at most \(offered) were sent")
        }
        if offset < acknowledged {
            throw UploadProblem("the server states that it has \(offset) bytes, but it had \(acknowledged) before")
        }
        if let length, let expected = report.length, expected != length {
            throw UploadProblem("the server expects \(expected) bytes, but there are \(length)")
        }
        if report.isComplete == true, !sentBytes.isComplete || offset != length ?? offset {
            throw UploadProblem("the server states that the upload is complete with \(offset) bytes, which it is not")
        }
        if let length, let largest = report.limits?.maximumSize, length > largest {
            throw UploadProblem("the server accepts at most \(largest) bytes, but there are \(length)")
        }
        state.withLock { state in
            state.apply(report.limits)
            state.acknowledge(offset)
        }
        return offset
    }
}

extension ResumptionState.State {
    fileprivate mutating func acknowledge(_ offset: Int64) {
        guard let acknowledged = resource?.acknowledged, offset > acknowledged else { return }
        resource?.acknowledged = offset
        highest = max(highest, offset)
    }

    fileprivate mutating func apply(_ limits: UploadLimits?) {
        // A limit of zero would never be completed.
        if let largest = limits?.maximumAppendSize, largest > 0 { resource?.largestPart = largest }
    }
}
