import Foundation
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct OneTimePasswordsTests {
    private static let hotp = "otpauth://hotp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let totp = "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8"

    private func passwords(
        _ records: any RecordStore<MechanismRecord> = MemoryMechanismStore(),
        at seconds: TimeInterval = 59
    ) -> OneTimePasswords {
        OneTimePasswords(
            store: records,
            owner: "alice",
            clock: TimeSource(now: { .zero }, date: { Date(timeIntervalSince1970: seconds) }, sleep: { _ in })
        )
    }

    @Test func `A password of a period states its end`() async throws {
        let passwords = passwords()
        let account = try await passwords.add(Self.totp)
        let password = try await passwords.next(for: account.id)
        #expect(password.text == "94287082")
        #expect(password.expiresAt == Date(timeIntervalSince1970: 60))
        #expect(try await passwords.next(for: account.id) == password)
    }

    @Test func `Each password of a counter is returned once, also to other processes and concurrent tasks`()
        async throws
    {
        let records = MemoryMechanismStore()
        let account = try await passwords(records).add(Self.hotp)
        let shown = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await passwords(records).next(for: account.id).text } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(shown).count == 10)
        #expect(shown.contains("755224") && shown.contains("520489"))
        #expect(try await passwords(records).accounts().first?.factor == .counter(10))
    }

    @Test func `A password of a counter is not shown if the counter cannot be stored`() async throws {
        let records = ReadOnlyStore()
        let account = try await passwords(records).add(Self.hotp)
        await records.refuseChanges()
        await expectError(\MechanismError.reason, .store) { try await passwords(records).next(for: account.id) }
    }

    @Test func `Adding an account again does not reset its counter`() async throws {
        let passwords = passwords()
        let account = try await passwords.add(Self.hotp)
        _ = try await passwords.next(for: account.id)
        let again = try await passwords.add(Self.hotp)
        #expect(again.id == account.id)
        #expect(try await passwords.next(for: account.id).text == "287082")
        #expect(try await passwords.accounts().count == 1)
    }

    @Test func `The maximum of a counter is refused`() async throws {
        let passwords = passwords()
        let account = try await passwords.add(Self.hotp + "&counter=18446744073709551615")
        await expectError(\MechanismError.reason, .counterExhausted) { try await passwords.next(for: account.id) }
    }

    @Test func `A removed account has no passwords`() async throws {
        let passwords = passwords()
        let account = try await passwords.add(Self.totp)
        try await passwords.remove(account.id)
        await expectError(\MechanismError.reason, .unknownMechanism) { try await passwords.next(for: account.id) }
        await expectError(\MechanismError.reason, .unknownMechanism) { try await passwords.remove(account.id) }
    }

    @Test func `Accounts beyond the maximum are refused`() async throws {
        let passwords = passwords()
        for number in 0..<MechanismRecord.maximumMechanisms {
            try await passwords.add("otpauth://totp/user\(number)?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        }
        await expectError(\MechanismError.reason, .full) { try await passwords.add(Self.totp) }
    }

    @Test func `Descriptions and dumps contain no password and no secret`() async throws {
        let passwords = passwords()
        let account = try await passwords.add(Self.totp)
        let password = try await passwords.next(for: account.id)
        for value in [account, password] as [Any] {
            var text = "\(value)"
            dump(value, to: &text)
            #expect(!text.contains("94287082") && !text.contains("1234567890") && !text.contains("GEZDGNBV"))
        }
    }
}

/// A store that refuses changes after it was told to.
private actor ReadOnlyStore: RecordStore {
    private var record: MechanismRecord?
    private var isReadOnly = false

    func refuseChanges() { isReadOnly = true }

    func load() -> MechanismRecord? { record }

    func save(_ record: MechanismRecord) throws {
        if isReadOnly { throw RecordStoreError(.cannotWrite, "the disk is full") }
        self.record = record
    }

    func delete() { record = nil }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await body()
    }
}
