/// Compares secrets in a time that does not depend on where they differ.
package enum ConstantTime {
    package static func areEqual(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
