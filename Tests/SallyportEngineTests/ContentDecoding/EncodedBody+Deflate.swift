import TestSupport

/// Bodies created with the zlib module of Python 3.11.
extension EncodedBody {
    static let deflate: [EncodedBody] = [
        .zlib, .zlibFastest, .zlibStored, .zlibEmpty, .bare, .bareFixedCodes, .bareStored, .bareEmpty,
    ]

    static let zlib = EncodedBody(
        "deflate: zlib",
        encoding: "deflate",
        decoded: Sample.rows(40),
        base64: """
            eJxd1D1qgzEQhOE+pwiqXXw7q1/fxiQuUiQBm1Qmd48JaDWaVrwgmEfokT7e0/k4pa/L5zWd08/9ens90ind375vz4Pj9+Xxn9ie
            2EqGjRlhj7Ci7n1Gvke+olbajPIe5RXVVmdU9qisqIwyo7pHlSLLM2p71FaU3WfU96ivyAtmNPZorAjNYkwZ3GhxG2tzHZ1WtyNW
            N5ndaHfE7Ca7Gw0/cgxvsrzR9L3G9CbbG43feoxvsr7R/O2I+U32NwKoCAATASOCkoPAxMAIIddAgCCAELwHAgQBhICxnr6+fUaw
            UIAogBTMQwGiAFIogQBBACGMFggQBBBCH4EAQQAhdAsECAIIoXkgQBBACLUEgguCE0JpgeCC4ISQeyC4IDgh5GP9QPoFEYIjEFwQ
            nBCQQ8FFwUnBaii4KDgrBIILghNCELgQOBEMBIELgQ++8UnwBxWur50=
            """
    )

    static let zlibFastest = EncodedBody(
        "deflate: zlib, level 1, small window",
        encoding: "deflate",
        decoded: Sample.rows(40),
        base64: """
            GBldyjtOWEEMBdCeVaBXU4z/NruJEooUCRKICrF3okjj+8bt0fm8fv+6ntfT9ffHn5fr+fp4f3l7XNfT9f7z9e0frK+Hz/+FzkIo
            RbUTn4mRUnInOZMghcVOeiZF8vCd7EyGZGU7+Zn8lkh3ijMFkorslGdKJDHeqc5USBy0E61z0UKjWt1oNLq1Vd14NEbj7CVjCVZp
            dNPRFC3du9lohhZp3Xw0v7Wl3WK0QHOWbjlaoplytxqt0NRpN15n44UmubrRaITGVd14NL41ym4ymqCRRDcdTdHMe9lYhlVh3Xw0
            R8vSbjFa3BpJtxwt0UK4W41WaG60m6yzyUKzWN1oNELTrG48Gt/aym4ymqAJRzcdTdFYvZuNZmjk1s1Hc7TUXjFWYEmnHCmRirlb
            jVZoqfT18A0Vrq+d
            """
    )

    static let zlibStored = EncodedBody(
        "deflate: zlib, level 0",
        encoding: "deflate",
        decoded: Sample.rows(6),
        base64: """
            eAEB3AAj/3siaWQiOjAsIm5hbWUiOiJ1c2VyIDAiLCJzY29yZSI6MH0KeyJpZCI6MSwibmFtZSI6InVzZXIgMSIsInNjb3JlIjo5
            MTl9CnsiaWQiOjIsIm5hbWUiOiJ1c2VyIDIiLCJzY29yZSI6ODM4fQp7ImlkIjozLCJuYW1lIjoidXNlciAzIiwic2NvcmUiOjc1
            N30KeyJpZCI6NCwibmFtZSI6InVzZXIgNCIsInNjb3JlIjo2NzZ9CnsiaWQiOjUsIm5hbWUiOiJ1c2VyIDUiLCJzY29yZSI6NTk1
            fQo0YT7E
            """
    )

    static let zlibEmpty = EncodedBody(
        "deflate: zlib, nothing",
        encoding: "deflate",
        decoded: [],
        base64: """
            eJwDAAAAAAE=
            """
    )

    static let bare = EncodedBody(
        "deflate: bare deflate",
        encoding: "deflate",
        decoded: Sample.rows(40),
        base64: """
            XdQ9aoMxEIThPqcIql18O6tf38YkLlIkAZtUJnePCWg1mla8IJhH6JE+3tP5OKWvy+c1ndPP/Xp7PdIp3d++b8+D4/fl8Z/YnthK
            ho0ZYY+wou59Rr5HvqJW2ozyHuUV1VZnVPaorKiMMqO6R5UiyzNqe9RWlN1n1Peor8gLZjT2aKwIzWJMGdxocRtrcx2dVrcjVjeZ
            3Wh3xOwmuxsNP3IMb7K80fS9xvQm2xuN33qMb7K+0fztiPlN9jcCqAgAEwEjgpKDwMTACCHXQIAggBC8BwIEAYSAsZ6+vn1GsFCA
            KIAUzEMBogBSKIEAQQAhjBYIEAQQQh+BAEEAIXQLBAgCCKF5IEAQQAi1BIILghNCaYHgguCEkHsguCA4IeRj/UD6BRGCIxBcEJwQ
            kEPBRcFJwWoouCg4KwSCC4ITQhC4EDgRDASBC4EPvvFJ8Ac=
            """
    )

    static let bareFixedCodes = EncodedBody(
        "deflate: bare deflate, only fixed codes",
        encoding: "deflate",
        decoded: Sample.rows(20),
        base64: """
            q1bKTFGyMtBRykvMTVWyUiotTi1SMFDSUSpOzi8CChjUclWDlRiiKjFEKLE0tIQpMkJVZIRQZGFsAVNkjKrIGKHI3NQcpsgEVZEJ
            QpGZuRlMkSmqIlOEIlNLU5giM1RFZkiKDE1gisxRFZkjFJkYG8MUWaAqskAoMjY1gimyRFVkiVBkZG4ID0y0ADdECnFDS0SYowc6
            UqgbGsBD3RAt2A2Rwt0IHuyGaOFuiBTwlibwgDdEC3lDpKC3MIMHvSFa2BsiBb65BTzwDdFC3xAp+M0N4MFviBb+hkgRYGYEjwBD
            tBgwRIoCUxN4FBiixYEhUiSYmAEjAQA=
            """
    )

    static let bareStored = EncodedBody(
        "deflate: bare deflate, level 0",
        encoding: "deflate",
        decoded: Sample.rows(6),
        base64: """
            AdwAI/97ImlkIjowLCJuYW1lIjoidXNlciAwIiwic2NvcmUiOjB9CnsiaWQiOjEsIm5hbWUiOiJ1c2VyIDEiLCJzY29yZSI6OTE5
            fQp7ImlkIjoyLCJuYW1lIjoidXNlciAyIiwic2NvcmUiOjgzOH0KeyJpZCI6MywibmFtZSI6InVzZXIgMyIsInNjb3JlIjo3NTd9
            CnsiaWQiOjQsIm5hbWUiOiJ1c2VyIDQiLCJzY29yZSI6Njc2fQp7ImlkIjo1LCJuYW1lIjoidXNlciA1Iiwic2NvcmUiOjU5NX0K
            """
    )

    static let bareEmpty = EncodedBody(
        "deflate: bare deflate, nothing",
        encoding: "deflate",
        decoded: [],
        base64: """
            AwA=
            """
    )
}
