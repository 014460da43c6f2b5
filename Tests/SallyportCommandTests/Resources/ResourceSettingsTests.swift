import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ResourceSettingsTests {
    @Test func `An invalid setting is an error that names the file or the profile with the settings`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            try SignIn.changeJson(file) { $0["resourceBaseURL"] = "https://127.0.0.1/a/../b" }
            let call = ["resource", "get", "/public", "--as", "none"]
            let inFile = try await signIn.run(call + ["--config", file])
            #expect(inFile.status == 2)
            #expect(inFile.errors.contains("the file \(file): the resourceBaseURL "), "\(inFile.errors)")

            try SignIn.changeJson(signIn.home.appendingPathComponent("default/resource.json").path) { stored in
                var model = try #require(stored["model"] as? [String: Any])
                model["requestTimeout"] = 0
                stored["model"] = model
            }
            let inProfile = try await signIn.run(call)
            #expect(inProfile.status == 2)
            let words = "the settings of the profile default: the requestTimeout "
            #expect(inProfile.errors.contains(words), "\(inProfile.errors)")
            #expect(inProfile.errors.contains("sallyport device register --config FILE"), "\(inProfile.errors)")
        }
    }

    @Test func `A file of settings that is not JSON is an error with the line and the column`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("app.json", "{\n  \"appIdentifier\": \"a\",\n}\n")
            let outcome = try await Tool.run(
                ["resource", "get", "/public", "--as", "none", "--config", file],
                environment: Tool.environment(home: folder)
            )
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("the file \(file): "), "\(outcome.errors)")
            #expect(outcome.errors.contains("line 3, column 1"), "\(outcome.errors)")
        }
    }

    @Test func `A file of settings that cannot be read is an error that names it`() async throws {
        try await withTemporaryDirectory { folder in
            for (file, reason) in [("missing.json", "No such file"), ("", "it is a directory")] {
                let path = folder.appendingPathComponent(file).path
                let outcome = try await Tool.run(
                    ["device", "register", "--config", path],
                    environment: Tool.environment(home: folder)
                )
                #expect(outcome.status == 26)
                #expect(outcome.errors.contains("the file \(path) cannot be read: \(reason)"), "\(outcome.errors)")
            }
        }
    }
}
