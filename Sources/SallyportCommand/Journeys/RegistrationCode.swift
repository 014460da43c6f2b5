import Foundation
import Sallyport

/// The URI with which a tree registers an app for push messages or one-time passwords.
enum RegistrationCode {
    /// Shows the URI, on a terminal also as a QR code, and the command that registers this computer. The URI contains the secret of
    /// the device, which the user needs.
    static func show(_ uri: String) {
        if StandardError.isTerminal, let code = QRCodeText.make(uri, columns: StandardError.columns) {
            StandardError.draw(code + "\n")
        }
        let command = uri.lowercased().hasPrefix("otpauth:") ? "otp add" : "push enrol"
        StandardError.print("On this computer, in another terminal:\nsallyport \(command) \(ShellText.quoted(uri))")
    }
}
