import Foundation

/// Reads one sequence of nothing but positive integers in DER, as keys of RSA are written in PKCS #1.
enum DerIntegers {
    /// - Returns: The numbers without leading zeros; `nil` if there is anything else.
    static func read(_ data: Data) -> [Data]? {
        var bytes = data[...]
        guard var content = element(0x30, of: &bytes), bytes.isEmpty else { return nil }
        var numbers: [Data] = []
        while !content.isEmpty {
            guard let number = element(0x02, of: &content) else { return nil }
            numbers.append(Data(number.drop { $0 == 0 }))
        }
        return numbers
    }

    private static func element(_ tag: UInt8, of bytes: inout Data.SubSequence) -> Data.SubSequence? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard first <= 0x84 else { return nil }
            length = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = bytes.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
