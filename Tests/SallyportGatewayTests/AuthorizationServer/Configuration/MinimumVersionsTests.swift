import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct MinimumVersionsTests {
    @Test(
        arguments: [
            ("1", "2"), ("1.9", "1.10"), ("2.9.9", "3"), ("1.0", "1.0.1"), ("", "1"), ("abc", "1"), ("1.x", "1.1"),
            ("0.9-beta", "1"),
        ]
    )
    func `Versions are compared number by number`(older: String, newer: String) {
        #expect(AppVersions.isOlder(older, than: newer))
        #expect(!AppVersions.isOlder(newer, than: older))
    }

    @Test(arguments: [("1", "1.0.0"), ("2.1", "2.1-beta"), ("01.2", "1.02"), ("1..1", "1.0.1")])
    func `Versions with the same numbers are equal`(one: String, other: String) {
        #expect(!AppVersions.isOlder(one, than: other))
        #expect(!AppVersions.isOlder(other, than: one))
    }

    @Test func `The versions are parts of User-Agent`() throws {
        let versions = try #require(AppVersions("com.example.app/2.1.0 (ios 17.4) sallyport/0.1.0"))
        #expect(versions.appIdentifier == "com.example.app")
        #expect(versions.appVersion == "2.1.0")
        #expect(versions.platform == "ios")
        #expect(versions.systemVersion == "17.4")
    }

    @Test(
        arguments: [
            "", "curl/8.5.0", "com.example.app/1", "com.example.app/1 (ios 17)", "com.example.app/1 (ios) sallyport/1",
            "com.example.app/1 (ios 17; iPhone) sallyport/1", "a b/1 (ios 17) sallyport/1",
        ]
    )
    func `Another User-Agent has no versions and is not refused`(text: String) throws {
        #expect(AppVersions(text) == nil)
        let minimum = MinimumVersions(appIdentifier: "com.example.app", appVersion: "2", systemVersions: ["ios": "99"])
        try [minimum].check(text)
        try [minimum].check(nil)
    }

    @Test func `Only versions of the same app and platform are checked`() throws {
        let minimum = [MinimumVersions(appIdentifier: "a", appVersion: "2", systemVersions: ["ios": "16"])]
        try minimum.check("b/1 (ios 15) sallyport/1")
        try minimum.check("a/2 (linux 1) sallyport/1")
        try minimum.check("a/2.0 (ios 16.0) sallyport/1")
        let app = #expect(throws: OAuthRefusal.self) { try minimum.check("a/1.9 (ios 17) sallyport/1") }
        #expect(app?.code == .outdatedApp)
        #expect(app?.members == ["minimum_version": "2"])
        let system = #expect(throws: OAuthRefusal.self) { try minimum.check("a/2 (ios 15.9) sallyport/1") }
        #expect(system?.code == .outdatedSystem)
        #expect(system?.members == ["minimum_version": "16"])
    }
}
