import Foundation

/// A fault of a response, by name.
struct Fault: Sendable, CustomStringConvertible {
    let description: String
    /// A Boolean value that indicates whether the fault ends only by the client's timeout.
    var isSilence = false
    let change: @Sendable (inout ProxiedResponse) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout ProxiedResponse) -> Void) {
        self.description = description
        self.change = change
    }
}

extension Fault {
    // MARK: The connection

    static let cut = Fault("closed half-way") { $0.ending = .cut(after: $0.body.count / 2) }
    static let cutAtOnce = Fault("closed before the first byte") { $0.ending = .cut(after: 0) }
    static let cutBeforeTheEnd = Fault("closed before the last byte") { $0.ending = .cut(after: $0.body.count - 1) }
    static let reset = Fault("reset half-way") { $0.ending = .reset(after: $0.body.count / 2) }
    static let stall = silence("silent half-way") { $0.body.count / 2 }
    static let stallAtOnce = silence("silent before the first byte") { _ in 0 }
    private static func silence(_ name: String, after count: @escaping @Sendable (ProxiedResponse) -> Int) -> Fault {
        var fault = Fault(name) { $0.ending = .stall(after: count($0)) }
        fault.isSilence = true
        return fault
    }

    // MARK: The bytes

    static let truncated = Fault("truncated with a matching length") { $0.setBody($0.body.dropLast(1_000)) }
    static let halved = Fault("half of the body with a matching range") { response in
        let (first, _, total) = response.range
        response.setBody(response.body.prefix(response.body.count / 2))
        response.setRange(first: first, last: first + response.body.count - 1, total: total)
    }
    static let corrupt = Fault("one bit flipped") { $0.body[$0.body.startIndex + $0.body.count / 3] ^= 4 }
    static let duplicated = Fault("repeated bytes in place of the next ones") { response in
        let (start, length) = (response.body.count / 3, min(10_000, response.body.count / 10))
        response.body.replaceSubrange(start + length..<start + 2 * length, with: response.body[start..<start + length])
    }
    static let doubled = Fault("the body twice, with the length of one") { $0.body += $0.body }
    static let longer = Fault("extended with a matching length") {
        $0.setBody($0.body + Data(repeating: 7, count: 1_000))
    }

    // MARK: The range

    static let otherStart = Fault("a Content-Range that begins elsewhere") { response in
        let (first, last, total) = response.range
        response.setRange(first: first - 1, last: last - 1, total: total)
    }
    static let otherBytes = Fault("another range than the requested one") { response in
        let (first, last, total) = response.range
        response.setBody(response.body.dropFirst(5_000))
        response.setRange(first: first + 5_000, last: last, total: total)
    }
    static let otherTotal = Fault("a Content-Range of another length") { response in
        let (first, last, total) = response.range
        response.setRange(first: first, last: last, total: total + 1)
    }
    static let noRange = Fault("no Content-Range") { $0["Content-Range"] = nil }
    static let badRange = Fault("an invalid Content-Range") { $0["Content-Range"] = "bytes 9-3/2" }
    static let otherUnit = Fault("a Content-Range in another unit") { response in
        let (first, last, total) = response.range
        response["Content-Range"] = "lines \(first)-\(last)/\(total)"
    }
    static let multipart = Fault("several ranges in one body") { response in
        response["Content-Type"] = "multipart/byteranges; boundary=b"
    }
    static let unasked = Fault("206 for a request without a range") { response in
        response.status = 206
        response.setRange(first: 0, last: response.body.count - 1, total: response.body.count)
    }
    static let unsatisfiable = Fault("416 for a valid range") { response in
        let total = response.range.total
        response.status = 416
        response.setBody(Data())
        response["Content-Range"] = "bytes */\(total)"
    }

    /// 200 instead of 206, with the complete file.
    static func whole(_ bytes: Data) -> Fault {
        Fault("200 instead of 206") { response in
            response.status = 200
            response["Content-Range"] = nil
            response.setBody(bytes)
        }
    }

    static let partAsWhole = Fault("200 instead of 206 with only the range") { response in
        response.status = 200
        response["Content-Range"] = nil
    }

    // MARK: The version

    static let otherTag = Fault("another ETag") { $0["ETag"] = "\"another\"" }
    static let weakTag = Fault("a weak ETag") { $0["ETag"] = $0["ETag"].map { "W/" + $0 } }
    static let noTag = Fault("no ETag") { $0["ETag"] = nil }

    // MARK: The coding

    static let zipped = Fault("gzip that was not requested") { response in
        response["Content-Encoding"] = "gzip"
        response.setBody(gzip(response.body))
    }
    static let saidToBeZipped = Fault("a body falsely labeled as gzip") { $0["Content-Encoding"] = "gzip" }
    static let unsupportedCoding = Fault("an unsupported content coding") { $0["Content-Encoding"] = "compress" }

    // MARK: The status

    static func status(_ status: Int) -> Fault {
        Fault("status \(status)") { response in
            response.status = status
            response["Content-Range"] = nil
            response.setBody(Data("no".utf8))
        }
    }
}

/// Returns a gzip stream of uncompressed blocks (RFC 1951, section 3.2.4; RFC 1952).
private func gzip(_ bytes: Data) -> Data {
    var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(block.count)
        let length = UInt16(block.count)
        result.append(rest.isEmpty ? 1 : 0)
        for word in [length, ~length] { result += [UInt8(word & 255), UInt8(word >> 8)] }
        result += block
    } while !rest.isEmpty
    for word in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
        for shift in [UInt32(0), 8, 16, 24] { result.append(UInt8((word >> shift) & 255)) }
    }
    return result
}

/// Returns the CRC-32 of RFC 1952, section 8.
private func checksum(_ bytes: Data) -> UInt32 {
    var table = [UInt32](repeating: 0, count: 256)
    for number in table.indices {
        var value = UInt32(number)
        for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xEDB8_8320 }
        table[number] = value
    }
    var sum = UInt32.max
    for byte in bytes { sum = table[Int((sum & 255) ^ UInt32(byte))] ^ (sum >> 8) }
    return ~sum
}
