/// How much of a multipart body is accepted.
public struct MultipartLimits: Sendable, Hashable {
    /// The most parts; 10,000 unless set.
    public var parts: Int

    /// The most bytes of headers in a part; 16 KiB unless set.
    public var headerBytes: Int

    /// The most bytes of content in a part; as many as come unless set.
    public var partBytes: Int64?

    /// The most bytes before the first part, and after the last one, all of which are skipped; 64 KiB unless set.
    public var surroundingBytes: Int

    /// Makes limits, with the defaults for those that are not given.
    public init(
        parts: Int = 10_000,
        headerBytes: Int = 16 << 10,
        partBytes: Int64? = nil,
        surroundingBytes: Int = 64 << 10
    ) {
        self.parts = parts
        self.headerBytes = headerBytes
        self.partBytes = partBytes
        self.surroundingBytes = surroundingBytes
    }
}
