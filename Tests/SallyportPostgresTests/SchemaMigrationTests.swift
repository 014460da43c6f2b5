#if PostgreSQL && os(Linux)

import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

@Suite(.concurrencyLimited, .withPostgres) struct SchemaMigrationTests {
    @Test func `Processes that create the tables at the same time wait for the first`() async throws {
        try await TestSchema.with(isMigrated: false) { schema in
            let versions = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    let database = schema.anotherDatabase()
                    group.addTask {
                        let (old, new) = try await database.migrate()
                        #expect(new == SchemaMigration.version)
                        return old
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(versions.sorted() == [0] + Array(repeating: SchemaMigration.version, count: 7))
        }
    }

    @Test func `A migration keeps the records`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: .generate())
            try await store.save(Note("1"))
            try await schema.database.migrate()
            #expect(try await store.load() == Note("1"))
        }
    }

    @Test func `A schema can have the name of a keyword`() async throws {
        try await TestSchema.with { schema in
            let versions = try await schema.anotherDatabase { $0.schema = "user" }.migrate()
            try await schema.query("DROP SCHEMA \"user\" CASCADE")
            #expect(versions.from == 0 && versions.to == SchemaMigration.version)
        }
    }

    @Test func `A statement that fails with tables of a later program names both versions`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: .generate())
            try await schema.query(
                """
                ALTER TABLE \(schema.name).records RENAME COLUMN revision TO version;
                INSERT INTO \(schema.name).migrations (version) VALUES (7)
                """
            )
            for _ in 1...2 {
                await expectStoreError(.schema, "the tables have the version 7, and this program supports 1") {
                    try await store.load()
                }
            }
            await expectStoreError(.schema, "use a later program") { try await store.save(Note("1")) }
        }
    }

    @Test func `Tables of a later program are refused`() async throws {
        try await TestSchema.with { schema in
            try await schema.query("INSERT INTO \(schema.name).migrations (version) VALUES (99)")
            let error = await expectError(\RecordStoreError.reason, .schema) {
                try await schema.database.migrate()
            }
            #expect(error?.description.contains("the tables have the version 99, and this program supports 1") == true)
        }
    }
}

#endif
