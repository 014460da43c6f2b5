import Foundation
import SallyportStorage

/// The identifiers of this device for servers, which a profile creates when it first needs them.
struct DeviceRecord: StoredRecord {
    static let format = RecordFormat(
        name: "sallyport-device",
        version: 1,
        noun: "device identifier",
        recovery: "enrol for push messages again"
    )

    /// The name of the profile.
    let owner: String
    /// The identifier in profiles of the device.
    var identifier = UUID().uuidString
    /// The address of the device at push services. Whoever knows it can collect the messages of `sallyport serve`.
    var pushToken = UUID().uuidString
}

extension ProfileFolder {
    /// Returns the identifiers of this device for the servers of a profile.
    func device(of name: ProfileName) async throws -> DeviceRecord {
        let store = try deviceStore(of: name)
        return try await store.withExclusiveAccess {
            if let record = try await store.load(), record.owner == name.description { return record }
            let record = DeviceRecord(owner: name.description)
            try await store.save(record)
            return record
        }
    }
}
