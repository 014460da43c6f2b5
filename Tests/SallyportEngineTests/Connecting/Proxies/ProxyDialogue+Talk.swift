import NIOCore
import SallyportTransport

@testable import SallyportEngine

extension ProxyDialogue {
    /// What comes of a proxy's answers, each of which is taken byte by byte or in one piece, with what is left over.
    mutating func talk(_ answers: [UInt8]..., byteByByte: Bool) throws -> (steps: [ProxyDialogueStep], left: Int) {
        var steps: [ProxyDialogueStep] = []
        var buffer = ByteBuffer()
        for answer in answers {
            for piece in byteByByte ? answer.map({ [$0] }) : [answer] {
                buffer.writeBytes(piece)
                let step = try receive(&buffer)
                if step != .wait { steps.append(step) }
            }
        }
        return (steps, buffer.readableBytes)
    }

    /// The error that an answer leads to.
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
