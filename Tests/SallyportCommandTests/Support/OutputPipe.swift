import Foundation
import TestSupport

/// What a process writes, collected as it comes.
final class OutputPipe: Sendable {
    private struct State: Sendable {
        var data = Data()
        var hasEnded = false
    }

    let pipe = Pipe()
    private let state = Watched(State())

    /// Reads in a thread of its own until the process has closed its side.
    func startReading() {
        Thread.detachNewThread { [pipe, state] in
            var chunk = pipe.fileHandleForReading.availableData
            while !chunk.isEmpty {
                state.update { [chunk] state in state.data += chunk }
                chunk = pipe.fileHandleForReading.availableData
            }
            state.update { $0.hasEnded = true }
        }
    }

    /// Everything, once the process has closed its side.
    func whole() async throws -> Data {
        try await state.wait("the output to end") { $0.hasEnded }
        return state.value.data
    }

    /// What there is as soon as a text stands in it.
    func containing(_ text: String) async throws -> String {
        try await state.wait("\"\(text)\" in the output") { state in
            String(decoding: state.data, as: UTF8.self).contains(text)
        }
        return String(decoding: state.value.data, as: UTF8.self)
    }

    /// Closes the reading side, as a reader does that has seen enough.
    func abandon() throws {
        try pipe.fileHandleForReading.close()
        state.update { $0.hasEnded = true }
    }
}
