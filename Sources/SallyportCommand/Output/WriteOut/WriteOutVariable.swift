import Foundation
import Sallyport

/// The variables of `--write-out`, with curl's names and meanings.
enum WriteOutVariable: String, CaseIterable, Sendable {
    case certificates = "certs"
    case connectionNumber = "conn_id"
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case filename = "filename_effective"
    case httpCode = "http_code"
    case httpConnect = "http_connect"
    case httpVersion = "http_version"
    case localAddress = "local_ip"
    case localPort = "local_port"
    case method
    case certificateCount = "num_certs"
    case connects = "num_connects"
    case headerCount = "num_headers"
    case redirectCount = "num_redirects"
    case retryCount = "num_retries"
    case proxyVerification = "proxy_ssl_verify_result"
    case usesProxy = "proxy_used"
    case redirectURL = "redirect_url"
    case referer
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadedSize = "size_download"
    case headerSize = "size_header"
    case requestSize = "size_request"
    case uploadedSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case verification = "ssl_verify_result"
    case tlsTime = "time_appconnect"
    case connectTime = "time_connect"
    case resolveTime = "time_namelookup"
    case sentTime = "time_posttransfer"
    case openingTime = "time_pretransfer"
    case redirectTime = "time_redirect"
    case firstByteTime = "time_starttransfer"
    case totalTime = "time_total"
    case url
    case finalURL = "url_effective"
    case urlNumber = "urlnum"
    case transferNumber = "xfer_id"
}

/// The parts of a URL in `--write-out`, with curl's names. The command's URL has no user and password.
enum WriteOutURLPart: String, CaseIterable, Sendable {
    case scheme, host, port, path, query, fragment

    /// Returns the part of a URL, percent-encoded as in the URL; empty if the URL has none. If the URL has no port, returns the port of the
    /// scheme; if it has no path, returns a slash.
    func text(of url: String) -> String {
        guard let parts = URLComponents(string: url) else { return "" }
        switch self {
        case .scheme: return parts.scheme ?? ""
        case .host: return parts.percentEncodedHost ?? ""
        case .port: return "\(parts.port ?? (parts.scheme?.lowercased() == "https" ? 443 : 80))"
        case .path: return parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        case .query: return parts.percentEncodedQuery ?? ""
        case .fragment: return parts.percentEncodedFragment ?? ""
        }
    }
}

/// The values of the variables of `--write-out` for a call that has ended.
struct WriteOutValues: Sendable {
    private enum Value {
        case text(String?)
        case number(Int64)
        case time(Duration)
    }

    let call: MeasuredCall
    /// The failure of the call, if it failed.
    let failure: CommandFailure?
    /// The URL of the command.
    let url: String
    /// The file that contains the body, if there is one.
    let filename: String?

    /// Returns the value of a variable as text.
    func text(of variable: WriteOutVariable) -> String {
        switch value(of: variable) {
        case .text(let text): text ?? ""
        case .number(let number):
            variable == .httpCode || variable == .responseCode || variable == .httpConnect
                ? String(format: "%03d", Int(number)) : "\(number)"
        case .time(let time): Self.seconds(time)
        }
    }

    /// Returns the first value of a header of the last response; empty if there is none.
    func header(_ name: String) -> String {
        HTTPField.Name(name).flatMap { call.response?.fields[values: $0].first } ?? ""
    }

    /// All variables in a JSON object, sorted by their names.
    var json: String {
        let members = WriteOutVariable.allCases.sorted { $0.rawValue < $1.rawValue }.map { variable in
            let text =
                switch value(of: variable) {
                case .text(let text): text.map(Self.quoted) ?? "null"
                case .number(let number): "\(number)"
                case .time(let time): Self.seconds(time)
                }
            return "\"\(variable.rawValue)\":\(text)"
        }
        return "{\((members + ["\"sallyport_version\":\(Self.quoted(sallyportVersion))"]).joined(separator: ","))}"
    }

    /// The headers of the last response in a JSON object: for each name in lower case, the array of its values.
    var headerJson: String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in call.response?.fields ?? HTTPFields() {
            let name = field.name.canonicalName
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(field.value)
        }
        let members = names.map { name in
            "\(Self.quoted(name)):[\((values[name] ?? []).map(Self.quoted).joined(separator: ","))]"
        }
        return "{\(members.joined(separator: ",\n"))\n}"
    }

    private func value(of variable: WriteOutVariable) -> Value {
        let (last, connection) = (call.exchanges.last, call.connection)
        switch variable {
        case .certificates: return .text(certificates)
        case .certificateCount: return .number(Int64(connection?.details?.certificates.count ?? 0))
        case .connects:
            return .number(Int64(call.exchanges.count { $0.response.map { !$0.connection.isReused } ?? false }))
        case .contentType: return .text(call.response?.fields[.contentType])
        case .errorMessage: return .text(failure?.message)
        case .exitCode: return .number(Int64(failure?.status.rawValue ?? 0))
        case .filename: return .text(filename)
        case .httpCode, .responseCode: return .number(Int64(call.response?.status.code ?? 0))
        case .httpVersion: return .text(connection?.httpVersion.map { $0.rawValue.replacing("HTTP/", with: "") } ?? "0")
        case .localAddress: return .text(address(connection?.details?.localAddress)?.host)
        case .localPort: return .number(Int64(address(connection?.details?.localAddress)?.port ?? 0))
        case .remoteAddress: return .text(address(connection?.remoteAddress)?.host)
        case .remotePort: return .number(Int64(address(connection?.remoteAddress)?.port ?? 0))
        case .method: return .text(last?.method)
        case .headerCount: return .number(Int64(call.response?.fields.count ?? 0))
        case .redirectCount: return .number(Int64(call.redirects))
        case .retryCount: return .number(Int64(call.retries))
        case .redirectURL: return .text(redirectURL)
        case .scheme: return .text(String(finalURL.prefix { $0 != ":" }))
        case .downloadedSize: return .number(call.bodySize)
        case .headerSize: return .number(call.exchanges.reduce(0) { $0 + ($1.response?.headSize ?? 0) })
        case .requestSize: return .number(call.exchanges.reduce(0) { $0 + Int64($1.headSize) })
        case .uploadedSize: return .number(last?.bodySize ?? 0)
        case .downloadSpeed: return .number(speed(call.bodySize))
        case .uploadSpeed: return .number(speed(last?.bodySize ?? 0))
        case .resolveTime: return .time(call.sum(\.resolve))
        case .connectTime: return .time(call.sum { ($0.resolve ?? .zero) + ($0.connect ?? .zero) })
        case .tlsTime: return .time(call.sum { $0.tls == nil ? nil : $0.openingTime })
        case .openingTime: return .time(call.sum(\.openingTime))
        case .sentTime: return .time(call.sum(\.requestSent))
        case .firstByteTime: return .time(call.sum(\.firstByte))
        case .redirectTime: return .time(call.exchanges.count > 1 ? (last?.start ?? call.start) - call.start : .zero)
        case .totalTime: return .time(call.total)
        case .url: return .text(url)
        case .finalURL: return .text(finalURL)
        case .usesProxy: return .number(connection?.details?.proxy == nil ? 0 : 1)
        case .referer: return .text(nil)
        case .connectionNumber, .transferNumber, .urlNumber, .httpConnect, .verification, .proxyVerification:
            return .number(0)
        }
    }

    /// The URL of the last request.
    var finalURL: String { call.exchanges.last?.url ?? url }

    /// The URL of a redirect that was not followed.
    private var redirectURL: String? {
        guard let response = call.response, response.status.kind == .redirection, let base = call.exchanges.last?.url,
            let location = response.fields[values: .location].first
        else { return nil }
        return URL(string: location, relativeTo: URL(string: base))?.absoluteString
    }

    /// The certificates of the server in PEM.
    private var certificates: String? {
        guard let certificates = call.connection?.details?.certificates, !certificates.isEmpty else { return nil }
        return certificates.map { der in
            let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
        }
        .joined()
    }

    private func address(_ text: String?) -> HostAndPort? { text.flatMap { HostAndPort($0[...]) } }

    private func speed(_ bytes: Int64) -> Int64 {
        Int64(Double(bytes) / max(call.total / .seconds(1), 0.000_001))
    }

    private static func seconds(_ time: Duration) -> String { String(format: "%.6f", time / .seconds(1)) }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = (try? encoder.encode(text)) ?? Data("\"\"".utf8)
        return VisibleText.json(String(decoding: data, as: UTF8.self))
    }
}

extension CallMeasurements.Response {
    /// The size of the head in HTTP/1.1, in bytes.
    fileprivate var headSize: Int64 {
        Int64("\(status.line(connection.httpVersion))\r\n".utf8.count + fields.sizeInHTTP1)
    }
}
