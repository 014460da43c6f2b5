import Foundation

extension URL {
    /// Writes a file into this folder and gives its path.
    func file(_ name: String, _ content: Data) throws -> String {
        let file = appendingPathComponent(name)
        try content.write(to: file)
        return file.path
    }

    /// Writes a text file into this folder and gives its path.
    func file(_ name: String, _ text: String) throws -> String {
        try file(name, Data(text.utf8))
    }

    /// The names of what is in this folder, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}

/// Random bytes.
func randomBytes(_ count: Int) -> Data {
    Data((0..<count).map { _ in UInt8.random(in: .min ... .max) })
}
