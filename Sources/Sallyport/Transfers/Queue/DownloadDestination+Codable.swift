import Foundation

extension DownloadDestination: Codable {
    private enum CodingKeys: String, CodingKey {
        case file
        case folder
    }

    /// Reads what ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let file = try values.decodeIfPresent(URL.self, forKey: .file) {
            self = .file(file)
        } else {
            self = .folder(try values.decode(URL.self, forKey: .folder))
        }
    }

    /// Writes the URL under the name of the case.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .file(let url): try values.encode(url, forKey: .file)
        case .folder(let url): try values.encode(url, forKey: .folder)
        }
    }
}
