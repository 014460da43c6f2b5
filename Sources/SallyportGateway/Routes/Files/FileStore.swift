import Foundation
import Hummingbird
import NIOCore
import Sallyport
import SallyportStorage

/// The files of `/files`, in memory: at most 256 files of 256 MiB in total, and 128 MiB of files that are being
/// received.
@available(macOS 14, iOS 17, tvOS 17, *)
final class FileStore: Sendable {
    static let maximumFileSize = 64 << 20
    private static let maximumTotalSize = 256 << 20
    private static let maximumFiles = 256
    private static let maximumCuts = 10_000

    private struct State: Sendable {
        var files: [String: StoredFile] = [:]
        /// The file names and tokens of the downloads that have been interrupted.
        var cuts: Set<[String]> = []
    }

    /// The memory for the files that are being received.
    let incoming = BodyMemory(bodies: 32, bytes: 128 << 20)
    private let state = Locked(State())

    subscript(name: String) -> StoredFile? { state.withLock { $0.files[name] } }

    var list: [FileSummary] {
        state.withLock { state in state.files.values.map(FileSummary.init).sorted { $0.name < $1.name } }
    }

    /// Stores a file, replacing the file of the same name.
    ///
    /// - Returns: The file, and `true` if there was no file of that name.
    func put(_ file: StoredFile, if conditions: FileConditions) throws -> (file: StoredFile, isNew: Bool) {
        try state.withLock { state in
            try conditions.check(state.files[file.name])
            var files = state.files
            let isNew = files.updateValue(file, forKey: file.name) == nil
            let total = files.values.reduce(0) { $0 + $1.content.readableBytes }
            guard files.count <= Self.maximumFiles, total <= Self.maximumTotalSize else {
                throw HTTPError(.init(code: 507), message: "The file store is full; delete files.")
            }
            state.files = files
            return (file, isNew)
        }
    }

    func delete(_ name: String, if conditions: FileConditions) throws {
        try state.withLock { state in
            try conditions.check(state.files[name])
            guard state.files.removeValue(forKey: name) != nil else {
                throw HTTPError(.notFound, message: "There is no such file.")
            }
        }
    }

    /// Records a download that can be interrupted.
    ///
    /// - Returns: `true` for the first download of each file and token. Only this one is interrupted.
    func recordCut(_ token: String, of name: String) -> Bool {
        state.withLock { state in
            if state.cuts.count >= Self.maximumCuts { state.cuts = [] }
            return state.cuts.insert([name, token]).inserted
        }
    }
}

/// The preconditions of a request that replaces or deletes a file (RFC 9110, section 13.1).
@available(macOS 14, iOS 17, tvOS 17, *)
struct FileConditions: Sendable {
    private var match: String?
    private var noneMatch: String?

    init() {}

    init(_ request: Request) {
        match = request.headers[.ifMatch]
        noneMatch = request.headers[.ifNoneMatch]
    }

    fileprivate func check(_ file: StoredFile?) throws {
        let tag = file?.validators.entityTag
        let isMatch = match.map { tags in tag.map { Validators.match(tags, $0) } ?? false } ?? true
        let isNoneMatch = noneMatch.map { tags in tag.map { Validators.matchWeakly(tags, $0) } ?? false } ?? false
        guard isMatch, !isNoneMatch else {
            throw HTTPError(.preconditionFailed, message: "The file is not the expected version.")
        }
    }
}

/// An entry in the list of files.
@available(macOS 14, iOS 17, tvOS 17, *)
struct FileSummary: ResponseEncodable {
    let name: String
    let size: Int
    let contentType: String
    let entityTag: String

    init(_ file: StoredFile) {
        name = file.name
        size = file.content.readableBytes
        contentType = file.contentType
        entityTag = file.validators.entityTag
    }
}
