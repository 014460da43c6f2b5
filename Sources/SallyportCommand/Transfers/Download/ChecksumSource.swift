import Foundation
import Sallyport
import SallyportTransfers

/// The checksum file of downloads: a file, standard input or a URL.
struct ChecksumSource: Sendable {
    private let argument: String
    /// The URL of the checksum file; `nil` for a file or standard input.
    let address: RequestURL?
    private let request: HttpRequest?

    /// - Parameters:
    ///   - argument: The path of a file, `-` for standard input, or a URL.
    ///   - options: The options of the downloads, which also apply to a request for the checksum file.
    ///   - headers: The headers of the options.
    ///   - recipients: The server that receives the secrets of the options.
    ///   - withheld: The names of withheld secrets. The function adds the names that this request withholds.
    /// - Throws: A failure if the request is invalid.
    init(
        _ argument: String,
        _ options: TransferRequestOptions,
        _ headers: [HeaderArgument],
        _ recipients: SecretRecipients,
        withheld: inout Set<String>
    ) throws {
        self.argument = argument
        address = RequestURL.isURL(argument) ? RequestURL(argument) : nil
        var request = try address.map { try options.request(to: $0.text, headers, recipients, withheld: &withheld) }
        request?.timeout = options.connection.timeout
        self.request = request
    }

    /// Reads or requests the checksum file.
    ///
    /// - Parameter client: The client of the downloads.
    /// - Throws: A failure if it cannot be read, or has no digests; `CancellationError`.
    func read(with client: TransferClient) async throws -> ChecksumList {
        guard let request else { return try await ChecksumList.read(argument) }
        let response: HttpResponse
        do throws(NetworkError) {
            response = try await client.client.request(request: request)
        } catch {
            throw client.failure(TransferError(.network(error)), isWriting: false)
        }
        guard response.status.isSuccess() else {
            let advice = response.status.kind == .redirection ? "; use -L to follow redirects" : ""
            throw CommandFailure(
                .errorResponse,
                "the checksum file: \(request): the server answered \(response.statusSummary)\(advice)"
            )
        }
        let name = FileNames.last(of: request.url ?? "")
        // Downloads are not decoded, because a part of an encoded file could not be.
        if let coding = response.getHeader(name: "Content-Encoding"), coding.lowercased() != "identity" {
            throw CommandFailure(
                .badEncoding,
                """
                the checksum file: \(request): it is encoded (Content-Encoding: \(VisibleText.line(coding, longest: 100))); decode it \
                first: sallyport get URL --compressed -o \(ShellText.quoted(name))
                """
            )
        }
        return try ChecksumList(response.bodyAsString(), named: name)
    }
}
