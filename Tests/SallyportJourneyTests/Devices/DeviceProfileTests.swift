import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct DeviceProfileTests {
    private static func node(metadata: Bool, location: Bool) async throws -> Node {
        let server = TreeServer()
        let output =
            CallbackText.output("metadata", "\(metadata)") + "," + CallbackText.output("location", "\(location)") + ","
            + CallbackText.output("message", #""Please wait""#)
        server.answer(.node(CallbackText.make("DeviceProfileCallback", output: output)))
        return try SallyportJourneyTests.node(in: await server.journey().start())
    }

    @Test(arguments: [true, false], [true, false])
    func `Only what the server asks for is collected`(metadata: Bool, location: Bool) async throws {
        var node = try await Self.node(metadata: metadata, location: location)
        #expect(node[DeviceProfileCallback.self]?.message == "Please wait")
        await expectError(\JourneyError.kind, "missingAnswer") { try await node.next() }
        try await node.answerDeviceProfile(with: LocatedDevice(system: SystemDeviceProfile(identifier: "d-1")))
        let profile = try #require(node[DeviceProfileCallback.self]?.profile)
        #expect(profile.identifier == "d-1")
        #expect(profile.metadata?["platform"]?["platform"]?.string == (metadata ? StandardHeaders.platform : nil))
        #expect((profile.metadata?["hardware"]?["cpu"]?.integer ?? 0) > 0 || !metadata)
        #expect(profile.location == (location ? DeviceLocation(latitude: 51.75, longitude: -1.25) : nil))
    }

    @Test func `A location that is not a number is refused`() async throws {
        var node = try await Self.node(metadata: false, location: true)
        let profile = DeviceProfile(identifier: "d", location: DeviceLocation(latitude: .nan, longitude: 0))
        expectError(\JourneyError.kind, "invalidAnswer") { try node[DeviceProfileCallback.self]?.setProfile(profile) }
    }

    @Test func `The identifier is derived from the machine and does not reveal it`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("machine-id")
            try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: file)
            let first = try SystemDeviceProfile(identifier: nil, machineFile: file.path).identifier()
            #expect(first == (try SystemDeviceProfile(identifier: nil, machineFile: file.path).identifier()))
            #expect(first.count == 64 && !first.contains("0123456789abcdef"))
            let other = SystemDeviceProfile(identifier: nil, application: "com.example.app", machineFile: file.path)
            #expect(first != (try other.identifier()), "another app derives another identifier")
            try Data("fedcba9876543210fedcba9876543210".utf8).write(to: file)
            #expect(first != (try SystemDeviceProfile(identifier: nil, machineFile: file.path).identifier()))
            for text in ["", "uninitialized\n", "0123456789abcdef"] {
                try Data(text.utf8).write(to: file)
                expectError(\JourneyError.kind, "handler") {
                    try SystemDeviceProfile(identifier: nil, machineFile: file.path).identifier()
                }
            }
        }
    }

    @Test func `Without an identifier of the machine, the error explains what to do`() async throws {
        let collector = SystemDeviceProfile(identifier: nil, machineFile: "/nonexistent/machine-id")
        var node = try await Self.node(metadata: true, location: false)
        let error = await expectError(\JourneyError.kind, "handler") {
            try await node.answerDeviceProfile(with: collector)
        }
        #expect(error?.failure.advice?.contains("SystemDeviceProfile") == true)
    }
}

/// A device that knows its location.
private struct LocatedDevice: DeviceProfileCollector {
    let system: SystemDeviceProfile

    func identifier() throws -> String { try system.identifier() }
    func metadata() -> [String: JsonValue] { system.metadata() }
    func location() -> DeviceLocation? { DeviceLocation(latitude: 51.75, longitude: -1.25) }
}
