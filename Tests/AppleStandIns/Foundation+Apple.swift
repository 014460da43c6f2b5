// The parts of Foundation that do not exist on Linux. This file is type-checked together with each module's files.
import Darwin
import Foundation
import FoundationNetworking
import Security

extension URLProtectionSpace {
    var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    convenience init(trust: SecTrust) { fatalError() }
}

extension URLSessionConfiguration {
    var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set { fatalError() }
    }

    class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
}

extension stat {
    var st_mtimespec: timespec { fatalError() }
}

extension URLSession {
    var allTasks: [URLSessionTask] { get async { fatalError() } }
}
