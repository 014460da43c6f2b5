import Foundation

/// The bytes of a pipe, a terminal or a device, as they come.
struct InputChunks: AsyncSequence, Sendable {
    let descriptor: Int32
    let name: String

    func makeAsyncIterator() -> Iterator { Iterator(input: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let input: InputChunks

        func next() async throws -> Data? {
            try await BlockingCall.run { [input] in try input.read() }
        }
    }

    private func read() throws(CommandFailure) -> Data? {
        var chunk = Data(count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { return chunk.prefix(count) }
            if count == 0 { return nil }
            if errno == EAGAIN {
                DescriptorWait.wait(for: Int16(POLLIN), on: descriptor)
            } else if errno != EINTR {
                throw InputFile.unreadable(name, systemReason())
            }
        }
    }
}
