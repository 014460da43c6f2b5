import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// Masks the secrets of the calls of a recording.
///
/// A secret is first found by its name, for example in a form. ``removeCollected(from:)`` then masks its value also where no name
/// precedes it, for example in a path or in a page that repeats the token.
struct SecretMask: Sendable {
    static let mask = SecretMasker.mask

    private var masker: SecretMasker
    /// The texts that the options name.
    private let configured: SecretValues

    init(_ options: RecordingOptions) {
        let policy = SecretPolicy(
            secretNames: options.secretNames,
            publicNames: options.publicNames,
            values: options.secretValues
        )
        masker = SecretMasker(policy, style: .replayable)
        configured = masker.values
    }

    mutating func mask(_ request: inout RecordedRequest) {
        masker.isSent = true
        defer { masker.isSent = false }
        request.head.path = request.head.path.map { masker.target($0) }
        let type = request.head.headerFields[.contentType]
        request.head.headerFields = masker.fields(request.head.headerFields)
        request.body = request.body.map { masker.body($0, type: type) ?? $0 }
    }

    mutating func mask(_ response: inout RecordedResponse) {
        let type = response.head.headerFields[.contentType]
        response.head.headerFields = masker.fields(response.head.headerFields)
        response.body = masker.body(response.body, type: type) ?? response.body
    }

    /// Masks the values of the collected secrets wherever they occur in a call.
    func removeCollected(from call: inout RecordedExchange) {
        if masker.values.isEmpty { return }
        remove(masker.values, from: &call.request)
        guard case .response(var response) = call.result else { return }
        let phrase = masker.masked(response.head.status.reasonPhrase)
        response.head.status = HTTPResponse.Status(code: response.head.status.code, reasonPhrase: phrase)
        response.head.headerFields = remove(masker.values, from: response.head.headerFields)
        response.body = remove(masker.values, from: response.body)
        call.result = .response(response)
    }

    /// Masks the texts that the options name, in a request that is compared with a recording.
    func removeConfigured(from request: inout RecordedRequest) {
        if !configured.isEmpty { remove(configured, from: &request) }
    }

    private func remove(_ values: SecretValues, from request: inout RecordedRequest) {
        request.head.path = request.head.path.map { values.masked($0) }
        request.head.headerFields = remove(values, from: request.head.headerFields)
        request.body = request.body.map { remove(values, from: $0) }
    }

    private func remove(_ values: SecretValues, from fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            var copy = field
            copy.value = values.masked(field.value)
            result.append(copy)
        }
        return result
    }

    private func remove(_ values: SecretValues, from body: Data) -> Data { Data(values.masked([UInt8](body))) }
}
