import TestSupport

/// The frames that a server sends in response to two requests, and the bodies of the responses.
struct SampleFrames: Sendable {
    let frames: [WireFrame]
    /// The bodies of the streams 1 and 3.
    let bodies: [[UInt8]]

    var bytes: [UInt8] { frames.flatMap(\.bytes) }

    private static let text = Array("The quick brown fox jumps over the lazy dog. 0123456789".utf8)
    private static let greeting = [
        WireFrame.settings([.maxConcurrentStreams: 100, .initialWindowSize: 70_000]),
        WireFrame(.settings, flags: WireFrame.acknowledgement),
    ]
    private static let ok: [WireFrame.Field] = [(":status", "200"), ("content-type", "text/plain")]
    private static let okOfLength = ok + [("content-length", "\(text.count)")]

    static let all: [SampleFrames] = [
        SampleFrames(
            frames: greeting + [
                .headers(1, okOfLength), .data(1, Array(text.prefix(20))), .headers(3, ok), .data(3, text),
                .data(1, Array(text.dropFirst(20)), end: true), .data(3, [], end: true),
            ],
            bodies: [text, text]
        ),
        SampleFrames(
            frames: greeting + [
                .headers(3, [(":status", "103"), ("link", "</a>")]), .headers(3, okOfLength), .data(3, text, end: true),
                .ping(), .headers(1, ok), .data(1, text), .headers(1, [("x-sum", "42")], end: true),
            ],
            bodies: [text, text]
        ),
        SampleFrames(
            frames: greeting + [
                .headers(1, [(":status", "204"), ("server", "x")], end: true), .windowUpdate(0, 1_000),
            ]
                + WireFrame.split(3, okOfLength + [("x-long", "abcdefghijklmnopqrstuvwxyz")], size: 30)
                + [.data(3, text, end: true)],
            bodies: [[], text]
        ),
        SampleFrames(
            frames: greeting + [
                .headers(1, [(":status", "404"), ("content-length", "0"), ("set-cookie", "a=b")], end: true),
                .headers(3, okOfLength),
                WireFrame(.data, flags: 0x8, stream: 3, [5] + text + [0, 0, 0, 0, 0]),
                .data(3, [], end: true), .goAway(last: 3),
            ],
            bodies: [[], text]
        ),
    ]
}

/// A mutation of frames.
enum FrameMutation: CaseIterable, Sendable {
    case truncate, flip, insertNoise, swapFrames, dropFrame, duplicateFrame, changeLength, changeFlags, changeStream
    case foreignFrame, cutPayload, noise

    func apply(to frames: [WireFrame], using random: inout SeededGenerator) -> [UInt8] {
        var frames = frames
        let position = Int.random(in: 0..<frames.count, using: &random)
        let other = Int.random(in: 0..<frames.count, using: &random)
        switch self {
        case .truncate:
            let bytes = frames.flatMap(\.bytes)
            return Array(bytes[..<Int.random(in: 0..<bytes.count, using: &random)])
        case .flip:
            var bytes = frames.flatMap(\.bytes)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            return bytes
        case .insertNoise:
            var bytes = frames.flatMap(\.bytes)
            bytes.insert(contentsOf: Self.noise(64, &random), at: Int.random(in: 0..<bytes.count, using: &random))
            return bytes
        case .swapFrames: frames.swapAt(position, other)
        case .dropFrame: frames.remove(at: position)
        case .duplicateFrame: frames.insert(frames[position], at: other)
        case .changeLength:
            frames[position].announcedLength =
                Bool.random(using: &random) ? .random(in: 0...80, using: &random) : 0xFF_FFFF
        case .changeFlags: frames[position].flags = .random(in: 0...255, using: &random)
        case .changeStream:
            frames[position].stream = Int([0, 1, 2, 3, 5, 0x7FFF_FFFF].randomElement(using: &random) ?? 0)
        case .foreignFrame: frames.insert(Self.foreign(&random), at: position)
        case .cutPayload: frames[position].payload.removeLast(min(frames[position].payload.count, 3))
        case .noise: return Self.noise(200, &random)
        }
        return frames.flatMap(\.bytes)
    }

    private static func foreign(_ random: inout SeededGenerator) -> WireFrame {
        WireFrame(
            WireFrame.Kind(rawValue: .random(in: 0...12, using: &random)),
            flags: .random(in: 0...255, using: &random),
            stream: Int.random(in: 0...5, using: &random),
            noise(24, &random)
        )
    }

    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
    }
}
