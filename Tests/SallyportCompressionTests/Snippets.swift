#if Compression && os(Linux)
import Sallyport
import SallyportCompression

// The Swift blocks of the documentation of SallyportCompression; see ReadmeTests.

// SallyportCompression.md

private func decoding() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.transportConfiguration.contentCodings = [.brotli, .zstandard]
    }
    return client
}
#endif
