import Foundation
import Sallyport
import SallyportResource

/// An installation of the app `com.example.app` that registers at a gateway for its own credentials.
public enum DeviceInstallation {
    /// The redirect URI, with which users can register on the device.
    public static let redirectURI = "http://127.0.0.1/callback"

    /// Returns the file with the software statement of an installation.
    ///
    /// - Parameter folder: The folder of its other files.
    public static func statementFile(of folder: URL) -> URL { folder.appendingPathExtension("statement") }

    /// Returns the identity of an installation.
    ///
    /// - Parameters:
    ///   - folder: The folder of its files.
    ///   - port: The port of the gateway on this computer.
    ///   - client: The client that sends the requests.
    public static func identity(
        in folder: URL,
        port: Int,
        sendingWith client: HttpClient = HttpClient.createClient()
    ) -> DeviceIdentity {
        var configuration = DeviceIdentityConfiguration(
            issuer: "http://127.0.0.1:\(port)",
            appIdentifier: "com.example.app",
            appPlatform: "linux",
            appVersion: "1.0"
        )
        configuration.redirectURI = redirectURI
        configuration.softwareStatement = try? String(contentsOf: statementFile(of: folder), encoding: .utf8)
        return DeviceIdentity(configuration, httpClient: client, stores: .files(in: folder))
    }
}
