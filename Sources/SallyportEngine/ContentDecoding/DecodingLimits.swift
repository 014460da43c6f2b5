import SallyportTransport

/// How much a body may become by decoding, so that a small body cannot fill the memory.
package struct DecodingLimits: Sendable, Equatable {
    /// The most bytes decoded in all; 1 GiB unless told otherwise.
    package var maximumSize: Int

    /// The most decoded bytes for each encoded byte; 200 unless told otherwise.
    ///
    /// It counts once more than 1 MiB is decoded: short bodies may repeat themselves as much as they like.
    /// Deflate itself cannot exceed 1032; brotli and zstd can by far.
    package var maximumRatio: Int

    package init(maximumSize: Int = 1 << 30, maximumRatio: Int = 200) {
        self.maximumSize = maximumSize
        self.maximumRatio = maximumRatio
    }

    private static let sizeWithoutRatio = 1 << 20

    func check(decodedSize: Int, encodedSize: Int) throws(ContentDecodingError) {
        if decodedSize > maximumSize {
            throw .sizeLimitExceeded(limit: maximumSize)
        }
        if decodedSize > Self.sizeWithoutRatio, decodedSize / max(encodedSize, 1) > maximumRatio {
            throw .ratioLimitExceeded(limit: maximumRatio)
        }
    }
}
