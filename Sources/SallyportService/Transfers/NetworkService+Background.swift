import Sallyport
import SallyportTransfers

/// The transfers of a service with the session type ``NetworkServiceSessionType/background``.
extension NetworkService {
    /// Returns the identifiers of the background transfers that have not ended, have failed, or whose results have not been
    /// delivered, in alphabetical order.
    ///
    /// Repeat the upload or download with its identifier to continue it, or to receive its result:
    ///
    /// ```swift
    /// for identifier in try await service.backgroundTransfers() {
    ///     let uploads = UploadService(AddPhotos(album: identifier, files: []), service: service, uploadIdentifier: identifier)
    ///     let photos = try await uploads.upload(withKey: "photos")
    /// }
    /// ```
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` if there is no folder for the transfers.
    public func backgroundTransfers() async throws(NetworkServiceError) -> [String] {
        let prefix = transferIdentifier("")
        return try await background.identifiers()
            .filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    /// Cancels a background transfer, at its server too, and removes it with its bytes. A complete file is kept.
    ///
    /// ```swift
    /// try await service.removeBackgroundTransfer("map")
    /// ```
    ///
    /// - Parameter identifier: The identifier of the transfer.
    /// - Throws: ``NetworkServiceError/transferFailed(_:)`` if an upload or download is performing the transfer: cancel that
    ///   one instead.
    public func removeBackgroundTransfer(_ identifier: String) async throws(NetworkServiceError) {
        try await background.remove(transferIdentifier(identifier))
    }

    /// Handles the events of a background session, for which Apple's systems have launched the app. On Linux, which has no
    /// background sessions, the completion handler is called without waiting for events.
    ///
    /// Call it in the app's delegate with the parameters of `handleEventsForBackgroundURLSession`. Then repeat the transfer
    /// with the same service to receive its result.
    ///
    /// ```swift
    /// service.handleEvents(forBackgroundSession: identifier) { completionHandler() }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session: ``NetworkServiceConfiguration/clientBundle``, a dot, and the
    ///     identifier of the transfer.
    ///   - completionHandler: A closure that is called on the main actor when all events have been handled.
    public func handleEvents(
        forBackgroundSession identifier: String,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        background.handleEvents(of: identifier, completionHandler: completionHandler)
    }

    /// The background transfers of this service, with its current headers.
    var background: BackgroundTransfers {
        let common = (try? request(for: Root()))?.fields ?? [:]
        return BackgroundTransfers(
            sessions: sessions,
            client: client,
            configuration: configuration,
            reader: reader,
            secretHeaders: common.filter(Redaction.containsSecret)
        )
    }

    /// An endpoint whose request has only what all requests of the service have.
    private struct Root: Endpoint {
        let path: EndpointPath = ""
    }
}
