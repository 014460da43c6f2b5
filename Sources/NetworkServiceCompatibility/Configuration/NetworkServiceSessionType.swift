/// The session of a service's requests.
public enum NetworkServiceSessionType: String, Sendable, Codable, CaseIterable {
    /// The session that all services of this type share, with its cookies and connections.
    case defaultService

    /// A session like the default one, with cookies of its own.
    case ephemeral

    /// A session for each upload and download, which outlives the process. Calls use the default session.
    ///
    /// The transfer is stored in a folder of its own, and found again by its identifier: repeat an upload or download with the same
    /// identifier in a later process to continue it, or to receive its result. Only one call at a time can use an identifier.
    ///
    /// On Apple platforms, the system performs the transfer in a background `URLSession`, even while the app does not run. It sends the
    /// request with the credentials and cookies at the time of its start, and does not refresh tokens. It follows redirects by its own
    /// rules, and may send these headers to their targets: use it only with servers that do not redirect to others. On Linux, the process
    /// that makes the call performs the transfer.
    ///
    /// Of the response to an upload, the status and the first 64 KiB of the body are available.
    case background
}
