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

public struct SymmetricKeySize: Sendable {
    public static var bits256: SymmetricKeySize { fatalError() }
}

public struct SymmetricKey: ContiguousBytes, Sendable {
    public init(data: some ContiguousBytes) {}
    public init(size: SymmetricKeySize) {}

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        fatalError()
    }
}

public struct HMAC<Function: HashFunction>: Sendable {
    public init(key: SymmetricKey) {}
    public mutating func update(data: some DataProtocol) {}
    public func finalize() -> AnyDigest { fatalError() }
}

public struct HKDF<Function: HashFunction>: Sendable {
    public static func deriveKey(
        inputKeyMaterial: SymmetricKey,
        info: some DataProtocol,
        outputByteCount: Int
    ) -> SymmetricKey {
        fatalError()
    }
}

public enum AES {
    public enum GCM {
        public struct Nonce: Sendable {}

        public struct SealedBox: Sendable {
            public var combined: Data? { fatalError() }

            public init(combined: some DataProtocol) throws {}
        }

        public static func seal(
            _ message: some DataProtocol,
            using key: SymmetricKey,
            nonce: Nonce? = nil,
            authenticating data: some DataProtocol
        ) throws -> SealedBox { fatalError() }

        public static func open(
            _ box: SealedBox,
            using key: SymmetricKey,
            authenticating data: some DataProtocol
        ) throws -> Data { fatalError() }
    }
}

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { fatalError() }
        }

        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { fatalError() }
        }
    }
}

public enum SecureEnclave {
    public static var isAvailable: Bool { fatalError() }

    public enum P256 {
        public enum Signing {
            public struct PrivateKey: Sendable {
                public init() throws {}
                public init(dataRepresentation: Data) throws {}

                public var dataRepresentation: Data { fatalError() }
                public var publicKey: CryptoKit.P256.Signing.PublicKey { fatalError() }

                public func signature(for data: some DataProtocol) throws -> CryptoKit.P256.Signing.ECDSASignature {
                    fatalError()
                }
            }
        }
    }
}
