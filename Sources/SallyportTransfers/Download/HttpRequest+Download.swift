import Foundation
import Sallyport
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension HttpRequest {
    /// Returns the request as it is sent for a download, without its range.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if it is not a GET, or sets a range.
    func asDownload() throws(NetworkError) -> HttpRequest {
        guard getMethod() == .get else {
            throw .invalidRequest(
                NetworkFailure("a download is a GET, and this is a \(getMethod().rawValue)", request: description)
            )
        }
        if getHeader(name: "Range") != nil || getHeader(name: "If-Range") != nil {
            throw .invalidRequest(
                NetworkFailure(
                    "a download sets the headers Range and If-Range itself",
                    request: description,
                    advice: "leave them out, or read the range with client.stream"
                )
            )
        }
        var request = self
        // A range of an encoded file could not be decoded.
        request.setHeader(name: "Accept-Encoding", value: "identity")
        request.retry = .never
        return request
    }

    /// Returns the request for a range.
    func requesting(_ range: RangeRequest) -> HttpRequest {
        guard let start = range.start else { return self }
        var request = self
        let last = range.end.map { String($0 - 1) } ?? ""
        request.setHeader(name: "Range", value: "bytes=\(start)-\(last)")
        if let ifRange = range.validators.ifRange { request.setHeader(name: "If-Range", value: ifRange) }
        return request
    }

    /// Returns a digest that identifies the URL without revealing it.
    func downloadKey() throws(NetworkError) -> String {
        Self.key(of: try RequestTarget(url: url, parameters: parameters).url)
    }

    /// Returns the location of the file: a digest of the URL, without the signature of a signed URL.
    func downloadLocation() throws(NetworkError) -> DownloadLocation {
        let url = try RequestTarget(url: url, parameters: parameters).url
        guard let unsigned = SignedURL.withoutSignature(url) else {
            return DownloadLocation(digest: Self.key(of: url), isSigned: false)
        }
        return DownloadLocation(digest: Self.key(of: unsigned), isSigned: true)
    }

    private static func key(of url: String) -> String {
        SHA256.hash(data: Data(url.utf8)).hexadecimal
    }
}
