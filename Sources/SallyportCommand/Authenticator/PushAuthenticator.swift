import Foundation
import Sallyport
import SallyportJourney

/// The push mechanisms of a profile, and the messages that `sallyport serve` keeps for it instead of sending them by a push service.
struct PushAuthenticator: Sendable {
    /// The messages that can be answered, as commands select them.
    static let messages = ItemSelection<PushMessage>(noun: "push message") { $0.id }
    static let mechanisms = ItemSelection<PushMechanism>(noun: "push mechanism") { $0.id }

    /// The time between two requests for messages.
    static let interval = Duration.seconds(1)

    let client: PushClient
    private let httpClient: HttpClient
    private let device: DeviceRecord

    init(_ client: PushClient, httpClient: HttpClient, device: DeviceRecord) {
        self.client = client
        self.httpClient = httpClient
        self.device = device
    }

    /// Creates the authenticator of a profile.
    init(_ options: PushOptions) async throws {
        let name = try options.profile.name()
        let folder = ProfileFolder()
        // A profile without a login has no settings for connections.
        let profile = try? folder.load(name)
        let httpClient = try HttpClient.createClient { config in
            try config.reachServer(
                authorities: options.authorities ?? profile?.authorities,
                proxy: options.proxy ?? profile?.proxy
            )
        }
        let store = try folder.mechanismStore(of: name)
        self.init(
            PushClient(store: store, owner: name.description, httpClient: httpClient),
            httpClient: httpClient,
            device: try await folder.device(of: name)
        )
    }

    /// Enrols this device at the server that issued a URI.
    func enrol(_ uri: String) async throws(MechanismError) -> PushMechanism {
        try await client.enroll(uri) { server in
            PushDevice(
                token: server.deviceToken(from: device.pushSecret),
                name: "sallyport",
                type: "ios",
                communicationType: "apns"
            )
        }
    }

    /// Collects the messages at all servers, and stores those that are valid. For any other message a warning is printed.
    ///
    /// - Throws: ``CommandFailure`` if a server delivers no messages, `NetworkError`, ``MechanismError``.
    func collect() async throws {
        let mechanisms = try await client.mechanisms()
        if mechanisms.isEmpty {
            let option = ProfileName(argument: device.owner)?.option ?? ""
            throw CommandFailure(
                .usage,
                "this computer is not enrolled for push messages; enrol it with sallyport push enrol -\(option)"
            )
        }
        for server in Set(mechanisms.map(\.server)).sorted(by: { $0.messagesURL < $1.messagesURL }) {
            for notification in try await notifications(of: server) {
                do {
                    try await client.receive(notification.message, messageID: notification.messageId)
                } catch {
                    StandardError.print("Warning: \(error)")
                }
            }
        }
    }

    private func notifications(of server: PushServer) async throws -> [Notification] {
        let url = server.messagesURL
        let response = try await httpClient.request { request in
            request.url = url
            request.carriesOwnCredentials = true
            request.requiresSecureTransport = true
            request.post(json: ["deviceId": server.deviceToken(from: device.pushSecret)])
        }
        guard response.status.isSuccess(), let messages = try? response.decode(Delivery.self).messages else {
            throw CommandFailure(
                .errorResponse,
                """
                \(url) delivers no push messages (status \(response.status.code)); this command receives them only from \
                sallyport serve, because other servers send them by a push service
                """
            )
        }
        return messages
    }

    private struct Delivery: Decodable { let messages: [Notification] }

    private struct Notification: Decodable {
        let messageId: String
        let message: String
    }
}
