import Foundation

/// The uploads that can go on: so many, and each for so long after it was last touched.
actor ResumableUploads {
    static let limit = 1024
    static let lifetime = 3600

    private var uploads = ExpiringTable<String, ResumableUpload>(limit: limit)

    /// - Returns: The upload's name, which cannot be guessed; `nil` if the memory for uploads is used up.
    func add(_ upload: ResumableUpload) -> String? {
        let name = Secret.randomName()
        let now = Date()
        return uploads.insertNew(upload, for: name, until: Self.end(after: now), now: now) ? name : nil
    }

    func upload(named name: String) -> ResumableUpload? {
        let now = Date()
        guard let upload = uploads.value(for: name, now: now) else { return nil }
        uploads.extend(name, until: Self.end(after: now))
        return upload
    }

    func remove(_ name: String) {
        uploads.remove(name)
    }

    private static func end(after now: Date) -> Date { now.addingTimeInterval(Double(lifetime)) }
}
