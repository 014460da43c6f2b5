import Foundation
import HTTPTypes
import SallyportTransport

/// The fields of draft-ietf-httpbis-resumable-upload, as its interoperability version 6 has them.
package enum UploadFields {
    package static let version = "6"
    package static let partialUpload = "application/partial-upload"

    package static let draftVersion = "Upload-Draft-Interop-Version"
    package static let complete = "Upload-Complete"
    package static let offset = "Upload-Offset"
    package static let length = "Upload-Length"
    package static let limit = "Upload-Limit"

    /// The status of the answer that tells where the upload can go on.
    package static let resumptionSupported = 104
}

/// What a server says of an upload. What is malformed counts as not said.
struct UploadReport: Sendable, Equatable {
    /// How many bytes the server has.
    var offset: Int64?
    /// Whether it has them all.
    var isComplete: Bool?
    /// How many it expects.
    var length: Int64?
    var limits: UploadLimits?

    init(_ fields: HTTPFields) {
        offset = StructuredItem.integer(fields.only(UploadFields.offset))
        length = StructuredItem.integer(fields.only(UploadFields.length))
        // Servers of the versions before 5 said the opposite, and SwiftNIO's says so with its last answer still.
        isComplete =
            StructuredItem.boolean(fields.only(UploadFields.complete))
            ?? StructuredItem.boolean(fields.only("Upload-Incomplete")).map { !$0 }
        limits = fields.only(UploadFields.limit).flatMap(UploadLimits.init)
    }
}

/// What a server accepts, by `Upload-Limit`.
struct UploadLimits: Sendable, Equatable {
    /// The largest body.
    var maximumSize: Int64?
    /// The largest part of it in one request.
    var maximumAppendSize: Int64?

    /// - Parameter text: A dictionary of RFC 9651. Keys that are not known are passed over.
    init?(_ text: String) {
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let key = parts.first, ["max-size", "max-append-size"].contains(key) else { continue }
            guard parts.count == 2, let value = StructuredItem.integer(parts[1]) else { return nil }
            if key == "max-size" { maximumSize = value } else { maximumAppendSize = value }
        }
    }
}

/// The items of RFC 9651 that uploads need.
package enum StructuredItem {
    /// A number of bytes; `nil` for anything else.
    package static func integer(_ text: String?) -> Int64? {
        guard let bare = bare(text), (1...15).contains(bare.utf8.count),
            bare.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int64(bare)
    }

    package static func boolean(_ text: String?) -> Bool? {
        switch bare(text) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// The item without its parameters.
    private static func bare(_ text: String?) -> String? {
        text?.split(separator: ";", omittingEmptySubsequences: false).first?.trimmingCharacters(in: .whitespaces)
    }
}

extension HTTPFields {
    /// The value of a field that is there once.
    fileprivate func only(_ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
