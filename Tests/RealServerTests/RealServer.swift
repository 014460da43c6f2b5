import Foundation

/// Servers that `.ci/real-servers` has started; the tests that call them are skipped where it has not.
enum RealServer {
    static let nginx = ProcessInfo.processInfo.environment["SALLYPORT_NGINX"]
    static let nginxFiles = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_FILES"]
}
