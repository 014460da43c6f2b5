import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// The header fields of draft-ietf-httpbis-resumable-upload, interoperability version 6.
package enum UploadFields {
    package static let version = "6"
    package static let partialUpload = "application/partial-upload"

    package static let draftVersion = "Upload-Draft-Interop-Version"
    package static let complete = "Upload-Complete"
    package static let offset = "Upload-Offset"
    package static let length = "Upload-Length"
    package static let limit = "Upload-Limit"

    /// The status of the informational response that announces the upload resource.
    package static let resumptionSupported = 104
}

/// The state of an upload according to the server. Malformed fields are ignored.
struct UploadReport: Sendable, Equatable {
    /// The number of bytes that the server has.
    var offset: Int64?
    /// A Boolean value that indicates whether the server has all bytes.
    var isComplete: Bool?
    /// The total number of bytes that the server expects.
    var length: Int64?
    var limits: UploadLimits?

    init(_ fields: HTTPFields) {
        offset = StructuredItem.integer(fields.only(UploadFields.offset))
        length = StructuredItem.integer(fields.only(UploadFields.length))
        // Before version 5 the field had the opposite meaning. SwiftNIO's server still sends it with its final
        // response.
        isComplete =
            StructuredItem.boolean(fields.only(UploadFields.complete))
            ?? StructuredItem.boolean(fields.only("Upload-Incomplete")).map { !$0 }
        limits = fields.only(UploadFields.limit).flatMap(UploadLimits.init)
    }
}

/// The limits of a server, from the field `Upload-Limit`.
struct UploadLimits: Sendable, Equatable {
    /// The maximum size of the body.
    var maximumSize: Int64?
    /// The maximum size of a part in one request.
    var maximumAppendSize: Int64?

    /// - Parameter text: A dictionary of RFC 9651. Unknown keys are ignored.
    init?(_ text: String) {
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let key = parts.first, ["max-size", "max-append-size"].contains(key) else { continue }
            guard parts.count == 2, let value = StructuredItem.integer(parts[1]) else { return nil }
            if key == "max-size" { maximumSize = value } else { maximumAppendSize = value }
        }
    }
}

/// Parses the items of RFC 9651 that uploads use.
package enum StructuredItem {
    /// Parses a number of bytes; returns `nil` for anything else.
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

    /// Returns the item without its parameters.
    private static func bare(_ text: String?) -> String? {
        text?.split(separator: ";", omittingEmptySubsequences: false).first?.trimmingCharacters(in: .whitespaces)
    }
}

extension HTTPFields {
    /// Returns the value of a field that occurs exactly once.
    fileprivate func only(_ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
