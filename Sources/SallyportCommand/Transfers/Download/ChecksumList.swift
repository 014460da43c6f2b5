import Foundation
import Sallyport
import SallyportTransfers

/// The digests of a checksum file such as `SHA256SUMS`, by the names of the files.
struct ChecksumList: Sendable {
    /// The name of the checksum file, for messages.
    let name: String
    private var digests: [String: ContentDigest] = [:]
    /// The files with digests of algorithms that are not supported.
    private var unsupported: Set<String> = []

    /// Parses a checksum file in the format of `sha256sum` or `sha512sum`, or of their option `--tag` and BSD. Other lines, such as
    /// comments and a signature, are ignored.
    ///
    ///     2cf24dba…  a.zip
    ///     SHA512 (b.zip) = 9b71d224…
    ///
    /// - Throws: A failure if no line has a digest.
    init(_ text: String, named name: String) throws(CommandFailure) {
        self.name = name
        for line in text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            guard let (file, hexadecimal) = Self.tagged(line) ?? Self.plain(line) else { continue }
            let path = Self.normalized(file)
            let algorithm: String? =
                switch hexadecimal.count {
                case 64: "sha-256"
                case 128: "sha-512"
                default: nil
                }
            if let algorithm, let digest = try? ContentDigest("\(algorithm)=\(hexadecimal)") {
                digests[path] = digest
            } else {
                unsupported.insert(path)
            }
        }
        if digests.isEmpty {
            throw CommandFailure(
                .usage,
                "the checksum file \(name) has no SHA-256 or SHA-512 digests; it must have the format of sha256sum"
            )
        }
    }

    /// Reads a checksum file, or standard input for `-`.
    ///
    /// - Throws: A failure if it cannot be read, or has no digests; `CancellationError`.
    static func read(_ path: String) async throws -> ChecksumList {
        let data = try await InputSource("@" + path).data()
        return try ChecksumList(String(decoding: data, as: UTF8.self), named: path == "-" ? "on standard input" : path)
    }

    /// Returns the digest of a download: by its name, or by the end of the URL's path, which may include folders.
    ///
    /// - Parameters:
    ///   - path: The path or name that the file is to get, if it is known.
    ///   - url: The URL of the file.
    /// - Throws: A failure if the file is not in the list.
    func digest(of path: String?, at url: String) throws(CommandFailure) -> ContentDigest {
        let urlPath = URL(string: url)?.path ?? ""
        let names = urlPath.split(separator: "/").map(String.init)
        let fromURL = names.indices.map { names[$0...].joined(separator: "/") }
        let candidates = [path, path?.split(separator: "/").last.map(String.init)].compactMap(\.self) + fromURL
        if let digest = candidates.lazy.compactMap({ digests[$0] }).first { return digest }
        let file = path ?? FileNames.last(of: url)
        if candidates.contains(where: { unsupported.contains($0) }) {
            throw CommandFailure(
                .usage,
                "the checksum file \(name) has a digest of \(file) that is not SHA-256 or SHA-512, which alone are secure"
            )
        }
        let some = digests.keys.sorted().prefix(3).joined(separator: ", ")
        let more = digests.count > 3 ? " and \(digests.count - 3) more" : ""
        throw CommandFailure(.usage, "the checksum file \(name) has no digest of \(file); it has \(some)\(more)")
    }

    /// Parses `SHA256 (a.zip) = 2cf24dba…`.
    private static func tagged(_ line: Substring) -> (file: Substring, hexadecimal: Substring)? {
        guard let open = line.firstRange(of: " ("), let close = line.ranges(of: ") = ").last,
            open.upperBound <= close.lowerBound, !line[..<open.lowerBound].contains(" ")
        else { return nil }
        let hexadecimal = line[close.upperBound...]
        return isHexadecimal(hexadecimal) ? (line[open.upperBound..<close.lowerBound], hexadecimal) : nil
    }

    /// Parses `2cf24dba…  a.zip`, or with an asterisk before the name, which marks a binary file.
    private static func plain(_ line: Substring) -> (file: Substring, hexadecimal: Substring)? {
        let hexadecimal = line.prefix { $0 != " " }
        let rest = line[hexadecimal.endIndex...].dropFirst()
        let file = rest.first == " " || rest.first == "*" ? rest.dropFirst() : rest
        return isHexadecimal(hexadecimal) && !file.isEmpty ? (file, hexadecimal) : nil
    }

    private static func isHexadecimal(_ text: Substring) -> Bool {
        text.count >= 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Returns a path without `./` at its beginning.
    private static func normalized(_ path: Substring) -> String {
        String(path.hasPrefix("./") ? path.dropFirst(2) : path)
    }
}
