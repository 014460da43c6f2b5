import Foundation
import Sallyport
import SallyportGateway
import SallyportResource
import SallyportStorage

extension DemoStep {
    static let unpinnedResource = DemoStep(title: "Resource call, other key") { stage in
        try await ByteCountingServer.withRunning(stage.authority) { server in
            var model = stage.resourceSettings(of: server.baseURL)
            model.certificates = [try DevelopmentAuthority().certificatePEM]
            let client = try stage.resourceClient(model).deviceClient
            let refusal = try await resourceError(expecting: "a server with another key to be refused") {
                try await client.sendUnauthenticatedRequest(.demo("public"))
            }
            try require(refusal.reason == .certificateRefused, "a refused certificate, not \(refusal)")
            do throws(ResourceError) {
                try await client.authenticateDevice(scopes: [])
                throw ResourceError(.unknown, NetworkFailure("the device was registered"))
            } catch {
                try require(error.reason == .certificateRefused, "no registration, not \(error)")
            }
            let count = server.receivedBytes
            try require(count == 0, "the server to receive nothing, not \(count) bytes")
            let pinned = try stage.resourceClient(stage.resourceSettings(of: server.baseURL)).deviceClient
            _ = try await pinned.sendUnauthenticatedRequest(.demo("public"))
            let sent = server.receivedBytes
            try require(sent > 0, "the call with the right pin to arrive")
            return "the server received 0 bytes of a call and a registration, and \(sent) of a call with the right pin"
        }
    }

    static let replayedResource = DemoStep(title: "Encrypted call, replayed") { stage in
        var model = stage.resourceSettings(of: stage.baseURL)
        // An app has the key in its configuration instead of requesting it.
        model.serverPublicKey = try await stage.client.request { $0.url = stage.baseURL + "/api/v1/payload/keys" }
            .bodyAsString()
        let sealed = Locked<HttpRequest?>(nil)
        let client = try stage.resourceClient(model) { $0.addWireInterceptor(Eavesdropper(request: sealed)) }
        let secret = "Pay 100 to Bob"
        let request = ResourceRequest(path: "public", method: .post, body: Data(secret.utf8), headers: nil)
        let resource = try DemoResource(await client.deviceClient.sendUnauthenticatedRequest(request))
        try require(resource.body == secret, "the server to decrypt the body")
        var copy = try require(sealed.withLock { $0 }, "an encrypted request")
        guard case .data(let body) = copy.body, body.range(of: Data(secret.utf8)) == nil else {
            throw DemoMismatch(description: "expected the body to be encrypted")
        }
        copy.timeout = 15
        // The cookies of other steps would change the sealed request.
        let replaying = stage.client.derived { $0.cookieJar = nil }
        let response = try await replaying.request(request: copy) as HttpResponse
        let reason = response.getHeader(name: "Payload-Encryption-Error") ?? "no reason"
        let isRefused = response.status == .badRequest && reason == "replayed"
        try require(isRefused, "a refusal, not \(response.status) (\(reason))")
        return "the server decrypted \"\(secret)\" once; the same \(body.count) bytes were then refused (\(reason))"
    }

    static let tracedResource = DemoStep(title: "Resource call in a debugger") { stage in
        try await ByteCountingServer.withRunning(stage.authority) { server in
            var model = stage.resourceSettings(of: server.baseURL)
            model.integrityChecks = [.debugger]
            let settings = stage.folder.appendingPathComponent("app.json")
            try JSONEncoder().encode(model).write(to: settings)
            let arguments = [
                "resource", "get", "public", "--as", "none", "--config", settings.path,
                "--cacert", try stage.authorityFile().path,
            ]
            let free = try await TracedCommand.run(arguments, isTraced: false, in: stage.folder)
            let count = server.receivedBytes
            try require(free?.status == 0 && count > 0, "the call to arrive, not \(free?.errors ?? "")")
            guard let traced = try await TracedCommand.run(arguments, isTraced: true, in: stage.folder) else {
                return try findingWithoutTracing()
            }
            let isRefused = traced.status == 1 && traced.errors.contains("a debugger is attached")
            try require(isRefused && server.receivedBytes == count, "the call to be refused, not \(traced.errors)")
            return "a process sent \(count) bytes; while it was traced, the same call was refused and sent 0"
        }
    }

    /// Runs the check with the files of a traced process, on a system that does not allow this process to trace another one.
    private static func findingWithoutTracing() throws -> String {
        do throws(IntegrityError) {
            try DebuggerProbe(files: FilesOfTracedProcess()).runWithProc()
        } catch {
            try require(error == .debuggerAttached("gdb (process 4711)"), "a debugger, not \(error)")
            return "not run, as this system allows no tracing; with a simulated /proc, the check finds gdb"
        }
        throw DemoMismatch(description: "expected the check to find a debugger")
    }
}

/// Stores the last encrypted request as it is sent.
private struct Eavesdropper: Interceptor {
    let request: Locked<HttpRequest?>

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        if request.getHeader(name: "Payload-Encryption") != nil { self.request.withLock { $0 = request } }
        return try await next(request)
    }
}

/// The files that Linux shows to a process that gdb traces (proc(5)).
private struct FilesOfTracedProcess: IntegrityFiles {
    func exists(_ path: String) -> Bool { false }
    func isSymbolicLink(_ path: String) -> Bool { false }
    func contents(of path: String) -> Data? { Data((path.hasSuffix("/status") ? "TracerPid:\t4711\n" : "gdb\n").utf8) }
    func canCreate(_ path: String) -> Bool { false }
}
