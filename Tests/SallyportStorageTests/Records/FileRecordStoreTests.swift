import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

/// A record other than a token: the state of a sign-in with its cookies.
private struct Journey: StoredRecord, Equatable {
    static let format = RecordFormat(name: "test-journey", version: 2, noun: "session", recovery: "sign in again")
    var owner: String
    var cookies: [String: String]
}

/// A later form of the record.
private struct LaterJourney: StoredRecord {
    static let format = RecordFormat(name: "test-journey", version: 3, noun: "session", recovery: "sign in again")
    var owner: String
}

/// A record with another name.
private struct DeviceKey: StoredRecord {
    static let format = RecordFormat(name: "test-key", version: 2, noun: "key", recovery: "register again")
    var owner: String
}

@Suite(.concurrencyLimited) struct FileRecordStoreTests {
    private static let record = Journey(owner: "alice", cookies: ["session": "canary"])

    @Test func `The stored form of an unencrypted record has sorted keys`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("session.json")
            try await FileRecordStore<Journey>(at: file).save(Self.record)
            #expect(
                try String(contentsOf: file, encoding: .utf8)
                    == #"{"format":"test-journey","record":{"cookies":{"session":"canary"},"owner":"alice"},"version":2}"#
            )
        }
    }

    private func expect(_ reason: RecordStoreError.Reason, _ words: String, of body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            let error = error as? RecordStoreError
            return error?.reason == reason && error?.description.contains(words) == true
        }
    }

    @Test(arguments: [nil, RecordStoreKey.generate()])
    func `A record is stored, loaded by another store and removed`(_ key: RecordStoreKey?) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("a/session.json")
            try await FileRecordStore<Journey>(at: file, key: key).save(Self.record)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("canary") == (key == nil))
            #expect(text.contains("alice"))
            let other = FileRecordStore<Journey>(at: file, key: key)
            #expect(try await other.load() == Self.record)
            try await other.delete()
            #expect(try await other.load() == nil)
        }
    }

    @Test func `A record of another type or version is refused with the wording of its format`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("session.json")
            try await FileRecordStore<Journey>(at: file).save(Self.record)
            await expect(.malformed, "the key file \(file.path) does not contain keys; remove it and register again") {
                _ = try await FileRecordStore<DeviceKey>(at: file).load()
            }
            await expect(.outdated, "has the outdated format version 2; sign in again") {
                _ = try await FileRecordStore<LaterJourney>(at: file).load()
            }
            try await FileRecordStore<LaterJourney>(at: file).save(LaterJourney(owner: "alice"))
            await expect(.malformed, "has the format version 3, and this program supports 2") {
                _ = try await FileRecordStore<Journey>(at: file).load()
            }
        }
    }

    @Test func `A change of the owner of an encrypted record is detected`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("session.json")
            let store = FileRecordStore<Journey>(at: file, key: .generate())
            try await store.save(Self.record)
            let text = try String(contentsOf: file, encoding: .utf8)
            let changed = text.replacing("alice", with: "alicf")
            #expect(changed != text)
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(changed.utf8))
            try handle.close()
            await expect(.key, "was changed") { _ = try await store.load() }
        }
    }
}
