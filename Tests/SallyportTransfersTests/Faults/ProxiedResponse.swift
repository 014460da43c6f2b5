import Foundation
import Sallyport

/// A server's response, which a proxy may change before it forwards it.
struct ProxiedResponse: Sendable {
    /// The way in which the response ends.
    enum Ending: Sendable {
        /// Everything is sent, and the connection stays open.
        case whole
        /// A number of bytes of the body is sent, and the connection is closed.
        case cut(after: Int)
        /// A number of bytes of the body is sent, and the connection is reset.
        case reset(after: Int)
        /// A number of bytes of the body is sent, and then nothing, while the connection stays open.
        case stall(after: Int)
    }

    var status: Int
    var fields: [(name: String, value: String)]
    var body: Data
    var ending = Ending.whole
    /// The number of the request that has to arrive before more than the first bytes of the body are sent.
    var pausesUntilRequest: Int?

    init(_ response: HttpResponse) {
        status = response.status.code
        fields = response.headers.fields.map { ($0.name.rawName, $0.value) }
        body = response.body ?? Data()
    }

    /// Returns the value of a field.
    subscript(name: String) -> String? {
        get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            fields.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// Changes the body and its announced length.
    mutating func setBody(_ body: Data) {
        self.body = body
        self["Content-Length"] = String(body.count)
    }

    /// The range and the length of the file that the response states; those of the body if it states none.
    var range: (first: Int, last: Int, total: Int) {
        let numbers = (self["Content-Range"] ?? "").split { !$0.isNumber }.compactMap { Int($0) }
        return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : (0, body.count - 1, body.count)
    }

    /// Changes the range that the response states.
    mutating func setRange(first: Int, last: Int, total: Int) {
        self["Content-Range"] = "bytes \(first)-\(last)/\(total)"
    }

    /// The head as it is sent.
    var head: String {
        let lines = fields.filter { $0.name.lowercased() != "connection" }.map { "\($0.name): \($0.value)\r\n" }
        return "HTTP/1.1 \(status) Proxied\r\n\(lines.joined())\r\n"
    }

    /// The part of the body that is sent.
    var sentBody: Data {
        switch ending {
        case .whole: body
        case .cut(let count), .reset(let count), .stall(let count): body.prefix(count)
        }
    }
}
