// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

public protocol Digest: Sequence, Hashable, Sendable where Element == UInt8 {
    static var byteCount: Int { get }
}

public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest

    static var byteCount: Int { get }

    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

extension HashFunction {
    public static var byteCount: Int { fatalError() }

    public static func hash<Bytes: DataProtocol>(data: Bytes) -> Digest { fatalError() }

    public mutating func update<Bytes: DataProtocol>(data: Bytes) {}
}

public struct AnyDigest: Digest {
    public static var byteCount: Int { fatalError() }

    public func makeIterator() -> IndexingIterator<[UInt8]> { fatalError() }
}

public struct SHA256: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { fatalError() }
}

public struct SHA512: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { fatalError() }
}

public enum Insecure {
    public struct MD5: HashFunction {
        public init() {}
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
        public func finalize() -> AnyDigest { fatalError() }
    }
}
