/// The base class of ``UploadService`` and ``DownloadService``.
open class BaseRequestService {
    let configuration: NetworkServiceConfiguration

    init(_ configuration: NetworkServiceConfiguration) {
        self.configuration = configuration
    }
}

extension NetworkServiceConfiguration {
    /// The configuration of transfers in a background session.
    static var background: NetworkServiceConfiguration {
        var configuration = NetworkServiceConfiguration()
        configuration.serviceSessionType = .background
        return configuration
    }
}
