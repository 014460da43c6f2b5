/// What a service keeps between its calls, and who carries its transfers.
public enum NetworkServiceSessionType: String, Sendable, Codable, CaseIterable {
    /// Cookies are those of the client that the service stands on, and are kept as long as it is.
    case defaultService

    /// Cookies are the service's own: it starts without any, and they end with it. Nothing is written to a disk.
    case ephemeral

    /// As ``defaultService``; uploads and downloads are given to a ``TransferQueue``, where the service has one, and
    /// outlive the process. On Apple platforms that is the system's background session.
    case background
}
