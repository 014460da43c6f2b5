import Foundation

/// The names of the files that belong to a download, while it is under way and once it is whole.
struct DownloadPlace: Sendable, Hashable {
    /// The folder that all of them are in.
    let folder: URL

    /// The name of the finished file; `nil` while it has still to be learned from the server.
    let name: String?

    /// Where the bytes are until they are whole.
    let partialFile: URL

    /// What is known of these bytes.
    let journal: URL

    private static let ending = ".sallyport"

    /// - Parameter key: What tells one URL from another, for a folder whose file has no name yet.
    init(_ destination: DownloadDestination, key: String) {
        let stem: String
        switch destination {
        case .file(let url):
            let url = url.standardizedFileURL
            folder = url.deletingLastPathComponent()
            name = url.lastPathComponent
            stem = Self.shortened(url.lastPathComponent)
        case .folder(let url):
            folder = url.standardizedFileURL
            name = nil
            stem = "download-\(key.prefix(16))"
        }
        partialFile = folder.appendingPathComponent(".\(stem)\(Self.ending)")
        journal = folder.appendingPathComponent(".\(stem)\(Self.ending)-journal")
    }

    /// The longest name that the finished file may have.
    static let longestName = 255

    /// A name that leaves room for the endings, and is another one for each other name.
    private static func shortened(_ name: String) -> String {
        let room = 200
        if name.utf8.count <= room { return name }
        var beginning = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            bytes += String(scalar).utf8.count
            if bytes > room - 20 { break }
            beginning.append(scalar)
        }
        return "\(String(beginning))-\(String(BlockSum.of(name.utf8), radix: 16))"
    }

    /// The name with a number: `map (2).zip` for 2. The first is the name itself.
    static func numbered(_ name: String, _ number: Int) -> String {
        if number <= 1 { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}
