import Foundation

extension URL {
    /// Writes a file to this folder and returns its path.
    func file(_ name: String, _ content: Data) throws -> String {
        let file = appendingPathComponent(name)
        try content.write(to: file)
        return file.path
    }

    /// Writes a text file to this folder and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try file(name, Data(text.utf8))
    }

    /// The sorted names of the entries of this folder.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}

/// Returns random bytes.
func randomBytes(_ count: Int) -> Data {
    let words = (0..<(count + 7) / 8).map { _ in UInt64.random(in: .min ... .max) }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
}
