import Foundation
import SallyportJOSE
import Testing

/// Messages that the Python library tink 1.16.1 has encrypted as AES-GCM-HKDF streams with SHA-256.
struct StreamVector: CustomTestStringConvertible, Sendable {
    /// The key of all messages: the bytes from 0 to 31.
    static let key = Data(0..<32)

    let segmentLength: Int
    let associatedData: String
    let contentLength: Int
    /// The message in base64url.
    let text: String

    var testDescription: String { "\(contentLength) bytes in segments of \(segmentLength)" }
    var message: Data { get throws { try #require(Base64Url.decode(text)) } }
    var content: Data { Data((0..<contentLength).map { UInt8($0 % 251) }) }

    static let tink: [StreamVector] = [
        StreamVector(
            segmentLength: 64,
            associatedData: "",
            contentLength: 0,
            text: """
                KOaFYfc7PBnRZgY0HS1xGDinibLSgABD3jTQJcM7WgO96z4mTVcRbgwZ1m14wgB_FTLzuXga_PQ
                """
        ),
        StreamVector(
            segmentLength: 64,
            associatedData: "aad",
            contentLength: 8,
            text: """
                KGHWF_62hVExcFfBUunq0mBKmGGtM17PHt1pK9_JdByLPhBFzINc_MvmD_WJiPvfGJm9jy4BwbpEgWIB8ckgVg
                """
        ),
        StreamVector(
            segmentLength: 64,
            associatedData: "",
            contentLength: 9,
            text: """
                KMV4gcy20wLoAqf-miXXcjRs86Xs9F1-pR1OHxL3AumVw6xQU2nu1l7fuS_hNoded2b1-fJZl04bp6VwyR-9yPR8kIdT-iF0T4my\
                DQKgJE0s
                """
        ),
        StreamVector(
            segmentLength: 64,
            associatedData: "aad",
            contentLength: 56,
            text: """
                KD262-JSgNN0GUEO_iTRL8WBLZ5Ra9bW_Ie65zo0o6XslUs6I6_fe8UWwCVTn_aWdnEQ1rwCP6n8dl_doLeU1YOmEy-leJbwef_T\
                CNfL2jhIxW4G02knB-xugSp3HPJTooKQ23Rxb3r_XiIaLQcZZnXkFfv1Uac0PLMujJ6EP2U
                """
        ),
        StreamVector(
            segmentLength: 64,
            associatedData: "aad",
            contentLength: 57,
            text: """
                KKcjgtHUoDNhK18vkSWx6DPx7vBGRBcU_wtmjPnQiTt4L4dYLyK116GOtSnkfAvdwZc4ErcRy2wRdgMw2kMw7TIy9Fu2bD9ktt1U\
                UxGtHfRnnY1cQ5WCeZPsXlFFYFv2cIvKR2PTaCuIaC-ui8kb0RBZiiYPJe6L-DTHqTHWOnxkhehtNQX6-QQszfPYyvDVhA
                """
        ),
        StreamVector(
            segmentLength: 256,
            associatedData: "request",
            contentLength: 500,
            text: """
                KDaMFuUTzPwkN--gEZpQZQDS1BtBehnenGmefPzdZS2AIxTu7ELIOYtZ2zBHqAWz8vRE_76eX3FAUGT3Bnyd5EaletjoVNPAbg3G\
                htjBeGz1Pb3XuS1fAnsCvFJH2NW1TvS0vTJwxsMMR-ZgsK1r_Wi5HqqPJN_cXBFKnpUmWClLhk_MnPQaMDUqxjCPnjElZ6jGRJXR\
                TEeGZ20XuA1o98hRDszMSscP2QbhBONWwwtRA2EEy0WPpikzzjVAWmhG3kajYqjXfg8lnjTm2JGkh1eYXj0KDH3M55nREo7OofxM\
                IDY6SjQS3VbxptqiFujfLAF4VAm1C3A22MDxC5cN0YmnsM_KoP_AGNBNl4Z8QfQwZfTXDJwmpUe4ZdBBgqUkhb3Cc_MbvW4s26Ss\
                1FpS_XjQUWAwV0lmurYAmxFFGMSp0OQihi8DvtDB4p7OhzG6R7iNv9weZ4EPmtrkgyo7SmSEAxYXEEGYF0H8_s0ijwGqPa0m4sZi\
                uL4J1ssd-mgEWanq7CX3dX0X6vjAXeSV-MCBy8I8QsHIy23KUhdgN2-QtwNwHWA1dlrGCV6iR7u3Z8dOFpkmdY2HIpe1pxHrMbLS\
                BxTNLj5gx10eQ97p848TCAT-hrd2Vx0-uLY7u8Zgncmj2TKEozmNcbJK4HjEK1jOUc0ge6CTbYqk8u9NK6ET70J4K6nh4gaQFsoO\
                lCHyYUfP8u0CG6DLh5SbzGsHg_TuYWRhouOmQgTp0xGe6ctOTiA04tRBWLyfLy2HPhFCsW-3jA4Kl30w7_Kf
                """
        ),
    ]
}
