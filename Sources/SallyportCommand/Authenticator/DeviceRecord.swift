import Foundation
import SallyportStorage

/// The identifiers of this device for servers, which a profile creates when it first needs them.
struct DeviceRecord: StoredRecord {
    static let format = RecordFormat(
        name: "sallyport-device",
        version: 2,
        noun: "device identifier",
        recovery: "enrol for push messages again"
    )

    /// The name of the profile.
    let owner: String
    /// The identifier in profiles of the device.
    var identifier = UUID().uuidString
    /// The secret from which the addresses of the device at the servers of push messages are derived; see `PushServer`.
    var pushSecret = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
}

extension ProfileFolder {
    /// Returns the identifiers of this device for the servers of a profile.
    func device(of name: ProfileName) async throws -> DeviceRecord {
        let store = try deviceStore(of: name)
        return try await store.withExclusiveAccess {
            do {
                if let record = try await store.load(), record.owner == name.description { return record }
            } catch let error as RecordStoreError where error.reason == .outdated {
                // Servers of push messages know an address of the device that was the same for all of them.
            }
            let record = DeviceRecord(owner: name.description)
            try await store.save(record)
            return record
        }
    }
}
