/// The cost of one run of a client. Memory is unknown for clients that do not measure themselves.
package struct Sample: Sendable, Equatable, Codable {
    package let cpuMicroseconds: Double
    package let wallMicroseconds: Double
    package let rssMB: Double?
    package let kibPerCall: Double?

    package init(cpuMicroseconds: Double, wallMicroseconds: Double, rssMB: Double? = nil, kibPerCall: Double? = nil) {
        self.cpuMicroseconds = cpuMicroseconds
        self.wallMicroseconds = wallMicroseconds
        self.rssMB = rssMB
        self.kibPerCall = kibPerCall
    }

    /// Encodes unknown values as null instead of omitting them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(cpuMicroseconds, forKey: .cpuMicroseconds)
        try container.encode(wallMicroseconds, forKey: .wallMicroseconds)
        try container.encode(rssMB, forKey: .rssMB)
        try container.encode(kibPerCall, forKey: .kibPerCall)
    }

    private enum CodingKeys: String, CodingKey {
        case cpuMicroseconds = "cpu_us_per_call"
        case wallMicroseconds = "wall_us_per_call"
        case rssMB = "rss_mb"
        case kibPerCall = "kib_per_call"
    }
}
