import NIOCore
import SwiftASN1
import X509

extension GeneralName {
    /// An IP address when the text is one, else a DNS name.
    init(host: String) throws {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError.invalidCertificateName(host)
        }
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: bytes(of: address.address.sin_addr)))
        case .v6(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: bytes(of: address.address.sin6_addr)))
        default:
            self = .dnsName(host)
        }
    }
}

/// The bytes of a C address, which are in network order already.
private func bytes(of address: some Any) -> ArraySlice<UInt8> {
    withUnsafeBytes(of: address) { ArraySlice($0) }
}
