import Foundation

/// A path that servers read differently, so that the policy of another path could decide about it.
struct AmbiguousPath: Error, CustomStringConvertible {
    let description: String
}

extension String {
    /// Returns the bytes of each segment of a path, percent-decoded and without empty segments.
    ///
    /// Bytes are compared, because Swift compares text by characters: a combining mark after a slash belongs to the same character.
    ///
    /// - Throws: ``AmbiguousPath`` for characters that must be percent-encoded, invalid escapes, dot segments, parameters of segments
    ///   (`;`), and encoded slashes, backslashes and NUL.
    func pathSegments() throws(AmbiguousPath) -> [[UInt8]] {
        guard utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw AmbiguousPath(description: "The path contains characters that must be percent-encoded.")
        }
        let separators = Array("/\\;\0".utf8)
        return try split(separator: "/").map { (part) throws(AmbiguousPath) in
            guard let segment = part.removingPercentEncoding.map({ Array($0.utf8) }) else {
                throw AmbiguousPath(description: "An escape in the path is not UTF-8.")
            }
            guard !segment.contains(where: separators.contains) else {
                throw AmbiguousPath(
                    description: "A segment of the path contains a semicolon, a backslash, or an encoded slash or NUL."
                )
            }
            guard segment != Array(".".utf8), segment != Array("..".utf8) else {
                throw AmbiguousPath(description: "The path contains . or .. as a segment.")
            }
            return segment
        }
    }
}
