import Foundation
import Testing
import TestSupport

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct UserFoldersTests {
    @Test func `Profiles and the queue are below HOME`() {
        let home = ["HOME": "/somewhere"]
        #expect(UserFolders.home(home).path == "/somewhere")
        #expect(ProfileFolder(environment: home).root.path == "/somewhere/.config/sallyport")
        #expect(StateFolder(environment: home).queue.path == "/somewhere/.local/state/sallyport/queue")
    }

    @Test(arguments: ["", "relative", "./a"])
    func `A variable that is not an absolute path is ignored`(path: String) {
        let standard = FileManager.default.homeDirectoryForCurrentUser.path
        let environment = ["HOME": path, "XDG_CONFIG_HOME": path, "XDG_STATE_HOME": path]
        #expect(UserFolders.home(environment).path == standard)
        #expect(ProfileFolder(environment: environment).root.path == standard + "/.config/sallyport")
        #expect(StateFolder(environment: environment).root.path == standard + "/.local/state/sallyport")
    }

    @Test func `The command uses HOME`() async throws {
        try await withTemporaryDirectory { folder in
            let home = ["HOME": folder.path, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "SALLYPORT_HOME": ""]
            let add = ["queue", "add", "http://127.0.0.1:9/", "--into", folder.path]
            #expect(try await Tool.run(add, environment: home).status == 0)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/.local/state/sallyport/queue"))
            let profiles = try await Tool.run(["profiles"], environment: home)
            #expect(profiles.errors.contains(folder.path + "/.config/sallyport"), "\(profiles.errors)")
        }
    }

    @Test(arguments: [[], ["--json"]])
    func `A missing queue is listed as empty and not created`(options: [String]) async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path + "/state"]
            for place in [[], ["--folder", folder.path + "/queue"]] {
                let outcome = try await Tool.run(["queue", "list"] + options + place, environment: state)
                #expect(outcome.status == 0)
                #expect(options.isEmpty ? outcome.errors == "The queue is empty.\n" : outcome.text.contains("["))
            }
            #expect(try folder.names.isEmpty)
        }
    }
}
