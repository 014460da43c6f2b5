// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation
// On Apple platforms this is part of Foundation, which is all that files for Apple platforms import.
@_exported import FoundationNetworking

// Core Foundation's types are replaced by the Foundation types to which they are bridged.
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public typealias CFString = String
public typealias CFTypeRef = AnyObject
public typealias CFAllocator = NSObject
public typealias OSStatus = Int32

public final class CFError {}
public final class SecTrust {}
public final class SecCertificate {}

public func CFErrorCopyDescription(_ error: CFError) -> CFString { fatalError() }

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { fatalError() }

public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }

public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? { fatalError() }

@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ certificates: CFArray?) -> OSStatus { fatalError() }

@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ isOnly: Bool) -> OSStatus { fatalError() }

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    fatalError()
}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }

public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecMatchLimit: CFString = ""
public let kSecMatchLimitOne: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecValueData: CFString = ""

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    fatalError()
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    fatalError()
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { fatalError() }

public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }

public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    fatalError()
}
