import Foundation
import Sallyport

/// The URI with which a tree registers an app for push messages or one-time passwords.
enum RegistrationCode {
    /// Shows the URI, on a terminal also as a QR code, and the command that registers this computer. The URI contains the secret of
    /// the device, so it is not part of the command, which the shell stores.
    ///
    /// - Parameter name: The profile that the device is registered with.
    static func show(_ uri: String, for name: ProfileName) {
        if StandardError.isTerminal, let code = QRCodeText.make(uri, columns: StandardError.columns) {
            StandardError.draw(code + "\n")
        }
        let command = uri.lowercased().hasPrefix("otpauth:") ? "otp add" : "push enrol"
        StandardError.print(
            """
            To register this computer, run this command in another terminal, paste the URI, and press Enter and Control-D:
            sallyport \(command) -\(name.option)
            \(VisibleText.line(uri))
            """
        )
    }
}
