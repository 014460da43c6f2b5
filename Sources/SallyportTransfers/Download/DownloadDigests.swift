import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// The digests that a downloaded file must have: the caller's, and the server's.
struct DownloadDigests: Sendable {
    private let required: ContentDigest?
    private var stated: [ContentDigest] = []

    init(required: ContentDigest?) {
        self.required = required
    }

    /// All digests, the caller's first.
    var all: [ContentDigest] { (required.map { [$0] } ?? []) + stated }

    /// The digests that the server states, as the value of a `Repr-Digest` field; `nil` if there are none.
    var field: String? { stated.isEmpty ? nil : stated.map(\.description).joined(separator: ", ") }

    /// Replaces the server's digests with the digests in a `Repr-Digest` field.
    mutating func replace(with field: String?) {
        stated = field.map(ContentDigest.parse) ?? []
    }

    /// Adds the digests that a response states.
    ///
    /// - Parameters:
    ///   - fields: The headers or trailers of the response.
    ///   - isWholeFile: If `true`, the content of the response is the complete file, so that `Content-Digest` applies
    ///     to the file.
    mutating func add(_ fields: HTTPFields, isWholeFile: Bool) {
        for name in isWholeFile ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"] {
            let digests = HTTPField.Name(name).flatMap { fields[$0] }.map(ContentDigest.parse) ?? []
            for digest in digests where !stated.contains(digest) { stated.append(digest) }
        }
    }

    /// Checks a complete file. A file with another digest is removed.
    ///
    /// - Throws: ``TransferError`` if a digest differs.
    func check(_ partial: PartialFile, of request: HttpRequest) async throws(TransferError) {
        if all.isEmpty { return }
        let actual = try await partial.digests(Set(all.map(\.algorithm)))
        for digest in all {
            guard let found = actual.first(where: { $0.algorithm == digest.algorithm }), found != digest else {
                continue
            }
            partial.remove()
            var error = TransferError(
                .mismatch(
                    "\(request): the file has the digest \(found.text(like: digest)) and not "
                        + "the expected \(digest.text(like: digest)); the fetched bytes have been removed"
                )
            )
            error.isWrongDigest = digest == required
            throw error
        }
    }
}
