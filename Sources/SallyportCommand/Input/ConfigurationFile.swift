import Foundation
import SallyportGateway

/// A file with settings of the gateway, named by an option.
enum ConfigurationFile {
    private static let maximumSize = 16 << 20

    /// Returns the content of a file, if there is one.
    ///
    /// - Parameters:
    ///   - path: The path; `nil` for no file.
    ///   - name: The name of the option, for errors.
    ///   - context: The options that the content depends on, for errors.
    ///   - parse: A closure that parses the content.
    /// - Throws: ``CommandFailure`` if the file cannot be read, or its content is invalid.
    static func read<Value>(
        _ path: String?,
        _ name: String,
        _ context: String = "",
        _ parse: (Data) throws(GatewayError) -> Value
    ) throws(CommandFailure) -> Value? {
        guard let path else { return nil }
        let data = try InputFile.contents(of: path, upTo: maximumSize)
        do throws(GatewayError) {
            return try parse(data)
        } catch {
            throw CommandFailure(.unreadableInput, "the \(name) file \(path)\(context): \(error)")
        }
    }
}
