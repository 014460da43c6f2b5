import NIOCore
import SallyportTransport

@testable import SallyportEngine

extension ProxyHandshake {
    /// Runs the handshake with a proxy's answers, each passed byte by byte or in one piece, and returns its steps and the number
    /// of unread bytes.
    mutating func run(_ answers: [UInt8]..., byteByByte: Bool) throws -> (steps: [ProxyHandshakeStep], left: Int) {
        var steps: [ProxyHandshakeStep] = []
        var buffer = ByteBuffer()
        for answer in answers {
            for piece in byteByByte ? answer.map({ [$0] }) : [answer] {
                buffer.writeBytes(piece)
                let step = try receive(&buffer)
                if step != .receiveMore { steps.append(step) }
            }
        }
        return (steps, buffer.readableBytes)
    }

    /// Returns the error that answers lead to, if any.
    mutating func failure(_ answers: [UInt8]...) -> NetworkError? {
        var buffer = ByteBuffer()
        for answer in answers {
            buffer.writeBytes(answer)
            do throws(NetworkError) {
                _ = try receive(&buffer)
            } catch {
                return error
            }
        }
        return nil
    }
}
