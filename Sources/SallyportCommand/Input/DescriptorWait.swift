import Foundation

/// Waits for a descriptor that another process, which shares it, has made non-blocking.
enum DescriptorWait {
    static func wait(for events: Int16, on descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        _ = poll(&request, 1, -1)
    }
}
