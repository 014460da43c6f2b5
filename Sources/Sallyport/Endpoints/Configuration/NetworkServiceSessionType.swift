/// What a service keeps between its calls, and who carries its transfers.
public enum NetworkServiceSessionType: String, Sendable, Codable, CaseIterable {
    /// Cookies are those of the client that the service stands on, and are kept as long as it is.
    case defaultService

    /// Cookies are the service's own: it starts without any, and they end with it. Nothing is written to a disk.
    case ephemeral

    /// As ``defaultService``, for services whose uploads and downloads are to outlive the process: they are enqueued in
    /// a ``TransferQueue`` made of ``NetworkService/client``, by the URLs that ``NetworkService/request(for:)`` tells. On
    /// Apple platforms the system's background session carries them there.
    ///
    /// Calls, ``UploadService`` and ``DownloadService`` end with the process in any type of session.
    case background
}
