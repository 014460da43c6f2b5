import TestSupport

extension [ScriptStep] {
    /// Receives a request and responds to it.
    static func answer(_ response: String = ok) -> Script {
        [.receiveRequest, .send(response)]
    }

    /// Receives a request, responds to it, and closes the connection.
    static func answerAndClose(_ response: String) -> Script {
        [.receiveRequest, .send(response), .close]
    }

    /// Receives a number of requests on one connection, and sends the same response to each.
    static func answers(_ count: Int, _ response: String = ok) -> Script {
        [.repeating(.answer(response), times: count)]
    }

    /// A response of two bytes.
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}

/// Compressed fixtures, created with zlib.
enum Compressed {
    static let plain = "hello, compressed world\n"

    /// `plain` in gzip (RFC 1952).
    static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81,
        40, 207, 47, 202, 73, 225, 2, 0, 63, 186, 57, 60, 24, 0, 0, 0,
    ]

    /// `plain` in the zlib format (RFC 1950), which HTTP calls deflate.
    static let deflate: [UInt8] = [
        120, 218, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 40, 207, 47, 202, 73,
        225, 2, 0, 113, 154, 8, 232,
    ]

    /// Four mebibytes of zeros in 4,098 bytes of gzip.
    static let bomb: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 110, 72, 64, 1]
        + Array(repeating: 0, count: 4063) + [124, 27, 106, 64, 71, 17, 0, 0, 64, 0]

    /// A response with a body in a coding.
    static func response(_ body: [UInt8], coding: String) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}
