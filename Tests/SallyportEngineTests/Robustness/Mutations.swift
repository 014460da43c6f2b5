import Foundation

/// The number of mutations per test: 20,000 by default, or the value of `SALLYPORT_MUTATIONS`.
enum Mutations {
    static let seeds: Range<UInt64> = 0..<50

    static let perSeed = (count ?? 20_000) / seeds.count

    private static let count = ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) }
}
