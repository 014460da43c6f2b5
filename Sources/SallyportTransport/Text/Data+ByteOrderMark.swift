import Foundation

extension Data {
    /// The data without a byte order mark of UTF-8 at its beginning, which a reader of JSON may ignore (RFC 8259, section 8.1).
    package var withoutByteOrderMark: Data {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return starts(with: mark) ? dropFirst(mark.count) : self
    }
}
