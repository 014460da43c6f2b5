import Foundation
import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportOAuth
import SallyportResource
import SallyportStorage

extension DemoStep {
    static let userResource = DemoStep(title: "Resource call as a user") { stage in
        var model = stage.resourceSettings(of: stage.baseURL)
        model.redirectURL = "http://127.0.0.1/callback"
        model.softwareStatement = try await GatewayApplication.developmentStatement(
            for: model.appIdentifier,
            version: model.appVersion,
            platform: model.appPlatform
        )
        try ResourceClient.configure(model, stores: .memory()) { $0.trust(stage.authority) }
        let client = SharedUserClient.instance
        let journey = try stage.journey()
        try await stage.signIn("Login", journey)
        let user = try await client.registerUser(with: JourneySignIn(journey: journey), scopes: ["accounts"])
        let resource = try DemoResource(await client.sendAuthenticatedRequest(.demo("accounts")))
        try require(resource.token?.sub == user, "the token of the user to arrive")
        return "signed in with a tree and registered on this device, which called with the user's token"
    }

    static let implicitResource = DemoStep(title: "Resource call, implicit user") { stage in
        let client = SharedUserClient.instance
        let user = try require(await stage.identity.devices.first?.users.first, "a user of the device")
        try await client.implicitlyAuthenticate(user: user, scopes: ["greeting"])
        let resource = try DemoResource(await client.sendImplicitRequest(.demo("greeting")))
        try require(resource.token?.sub == user, "the token of the user to arrive")
        let refusal = try await resourceError(expecting: "the token to be refused for other resources") {
            try await client.sendImplicitRequest(.demo("accounts"))
        }
        try require(refusal.response?.statusCode == 403, "the status 403, not \(refusal)")
        return "the same user, without interaction; 403 for the accounts, which need a sign-in"
    }

    static let deviceResource = DemoStep(title: "Resource call as the device") { stage in
        let client = SharedDeviceClient.instance
        try await client.authenticateDevice(scopes: ["assets"])
        let resource = try DemoResource(await client.sendAuthenticatedRequest(.demo("assets")))
        let devices = await stage.identity.devices.map(\.clientID)
        try require(devices == [resource.token?.sub], "one registered device, whose token arrives")
        return "the device, which is registered once as \(devices[0]), called with its own token"
    }

    static let openResource = DemoStep(title: "Resource call without a token") { _ in
        let client = SharedDeviceClient.instance
        let resource = try DemoResource(await client.sendUnauthenticatedRequest(.demo("public")))
        try require(resource.headers["authorization"] == nil, "no token to arrive")
        let refusal = try await resourceError(expecting: "a call without a token to be refused") {
            try await client.sendUnauthenticatedRequest(.demo("accounts"))
        }
        try require(refusal.response?.statusCode == 401, "the status 401, not \(refusal)")
        return "no token arrived, although this app has three; 401 for the accounts"
    }

    static let suspendedResource = DemoStep(title: "Resource call, suspended") { stage in
        let running = Locked<NetworkTask?>(nil)
        let client = try stage.resourceClient(stage.resourceSettings(of: stage.baseURL)) { config in
            // Called when the head of the response has arrived.
            config.onResponse { _ in running.withLock { $0 }?.suspend() }
        }
        let size = 16 << 20
        let request = ResourceRequest.demo("\(stage.baseURL)/bytes/\(size)")
        let started = running.withLock { task in
            task = client.deviceClient.sendUnauthenticatedRequest(request) { _, _ in }
            return task
        }
        let task = try require(started, "a task")
        for await state in task.states where state != .running { break }
        try await Task.sleep(for: .milliseconds(500))
        try require(task.state == .suspended && task.response == nil, "the call to wait, not \(task)")
        task.resume()
        for await _ in task.states {}
        if let error = task.error { throw error }
        let expected = try await stage.client.request { $0.url = request.path }.body
        try require(expected?.count == size && task.response?.data == expected, "the complete body")
        return "suspended for 0.5 s before its body of \(Format.size(Int64(size))), all of which then arrived"
    }

    static let multipartResource = DemoStep(title: "Resource call, multipart") { stage in
        let film = stage.folder.appendingPathComponent("film.mp4")
        try DemoStage.bytes(3 << 20).write(to: film)
        let photo = DemoStage.bytes(4096)
        let request = ResourceRequestFactory.makeMultipartResourceRequest(
            path: "\(stage.baseURL)/multipart",
            method: .post,
            parameters: ["album": "summer"],
            multipartData: [
                MultipartData(data: photo, name: "photo", fileName: "me.jpg", mimeType: "image/jpeg"),
                MultipartData(file: film, name: "film"),
            ]
        )
        let response = try await SharedDeviceClient.instance.sendUnauthenticatedRequest(request)
        let parts = try JSONDecoder().decode(DemoForm.self, from: response.data ?? Data()).parts
        try require(parts.map(\.length) == [6, photo.count, 3 << 20], "three parts to arrive, not \(parts)")
        return "a field, \(parts[1].filename ?? "") from memory and \(parts[2].filename ?? "") from a file arrived"
    }
}

/// Obtains the tokens of a device with the session of a journey.
private struct JourneySignIn: DeviceSignIn {
    let journey: Journey

    func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
        let session = try require(try await journey.session(), "a session")
        let credential = SessionCredential.header(name: journey.configuration.cookieName, value: session.token)
        return try await client.tokens(authorizedBy: credential, scopes: scopes)
    }
}
