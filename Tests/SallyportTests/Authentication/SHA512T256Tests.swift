import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct SHA512T256Tests {
    private static func hash(_ data: some Collection<UInt8>, piece: Int = .max) -> String {
        var function = SHA512T256()
        var rest = Data(data)
        while !rest.isEmpty {
            function.update(data: rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return function.finalize().hexadecimal
    }

    /// The first and third are the examples of NIST for FIPS 180-4.
    @Test(arguments: [
        ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
    ])
    func `The hash of a text is the published one`(text: String, expected: String) {
        #expect(Self.hash(text.utf8) == expected)
    }

    @Test(arguments: [
        (111, "bd209f60b0d04102a09175297fd255367e54b5a5605b928635c606306914363f"),
        (112, "2cafeb0882cc405167e9a255b8581a66dc683212474902dd453dbca20a94e61a"),
        (127, "c26bc7e9315e62ab0dc6aeb577724d07c09b0c6fdfc0a9f08d8548047c032248"),
        (128, "2ff11194b2aec1f943cb5f130ba647c151334068083194d7281a55d607ae255f"),
        (129, "c4a3bbf841ed2a289e5109fb392229c80db61c72fd92079b5a4f0441f095a111"),
        (255, "282a7af172c05b48cb02870d79ec5bc32fc2c6fd32d237d9b84728b6c36d2ed1"),
        (256, "0ea4199eb79185d8198973ee464a7e0eb26345b54b361ac6af8b1dc10d41911c"),
        (1000, "974bc1ca87fcb8f487f65a650d1eeeebdc0cc269381b9eeb708cc4ea6d4954f2"),
    ])
    func `The hash of data around the size of a block is that of Python's hashlib, in any pieces`(
        size: Int,
        expected: String
    ) {
        let data = (0..<size).map { UInt8($0 % 251) }
        for piece in [1, 13, 127, 128, 129, .max] { #expect(Self.hash(data, piece: piece) == expected) }
    }
}
