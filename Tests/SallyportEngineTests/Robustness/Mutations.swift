import Foundation

/// How many mutations of answers are tried: 20,000 of each kind, unless `SALLYPORT_MUTATIONS` says otherwise.
enum Mutations {
    static let seeds: Range<UInt64> = 0..<50

    static let perSeed = (count ?? 20_000) / seeds.count

    private static let count = ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) }
}
