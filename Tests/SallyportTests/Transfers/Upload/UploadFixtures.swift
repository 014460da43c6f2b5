import Foundation
import Sallyport

@testable import SallyportGateway

/// Bytes for uploads: the same ones each time.
enum TestBytes {
    static func data(_ count: Int, seed: UInt64 = 1) -> Data {
        Data(PseudoRandomBytes(seed: seed).buffer(0..<count).readableBytesView)
    }

    static func chunks(of data: Data, _ size: Int) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: size) {
                continuation.yield(data[start..<min(start + size, data.count)])
            }
            continuation.finish()
        }
    }
}

/// What the gateway answers to an upload.
struct UploadAnswer: Codable, Equatable {
    var length: Int
    var sha256: String

    init(of data: Data) {
        length = data.count
        sha256 = SHA256.hash(data: data).hexadecimal
    }
}

extension UploadOptions {
    /// Retries that wait for nothing.
    static var quick: UploadOptions {
        var options = UploadOptions()
        options.retry = .constant(attempts: 5, delay: .zero)
        return options
    }
}

/// The error that an upload ends with; `nil` if it succeeds.
func uploadError(_ url: String, _ body: RequestBody, _ options: UploadOptions = .quick) async -> TransferError? {
    let transfer = HttpClient.createClient().upload(options: options) { request in
        request.url = url
        request.body = body
    }
    guard case .failure(let error) = await transfer.result else { return nil }
    return error
}
