import TestSupport

/// Bodies created with the zlib and struct modules of Python 3.11.
extension EncodedBody {
    static let gzip: [EncodedBody] = [
        .stored, .fastest, .usual, .smallest, .fixedCodes, .huffmanOnly, .empty, .oneByte, .incompressible, .fullHeader,
        .members,
    ]

    static let stored = EncodedBody(
        "gzip: level 0",
        encoding: "gzip",
        decoded: Sample.rows(6),
        base64: """
            H4sIAAAAAAAEAwHcACP/eyJpZCI6MCwibmFtZSI6InVzZXIgMCIsInNjb3JlIjowfQp7ImlkIjoxLCJuYW1lIjoidXNlciAxIiwi
            c2NvcmUiOjkxOX0KeyJpZCI6MiwibmFtZSI6InVzZXIgMiIsInNjb3JlIjo4Mzh9CnsiaWQiOjMsIm5hbWUiOiJ1c2VyIDMiLCJz
            Y29yZSI6NzU3fQp7ImlkIjo0LCJuYW1lIjoidXNlciA0Iiwic2NvcmUiOjY3Nn0KeyJpZCI6NSwibmFtZSI6InVzZXIgNSIsInNj
            b3JlIjo1OTV9CjUdfFbcAAAA
            """
    )

    static let fastest = EncodedBody(
        "gzip: level 1",
        encoding: "gzip",
        decoded: Sample.rows(40),
        base64: """
            H4sIAAAAAAAEA13RPWqDQQyE4T6nCFu7+DSzv76NSVykSAI2qUzuHhNY7axa8YJgnkf6eE/n45S+Lp/XdE4/9+vt9UindH/7vj0P
            x+/L4z+xPbGVDBszwh5hRZ19RtwjrqiVNqO8R3lFtdUZlT0qKyqjzKjuUZXI8ozaHrUVZXJGfY/6ilgwo7FHY0VoNiMLg5ssbmNt
            HkeX1e3w1Q37T5Pd4bNb2N1k+JF9eAvLm0zfq09vYXuT8Vv38S2sbzJ/O3x+C/ubAFQ4gAUBE4KSncCCgQlCro6AgABBYHcEBAQI
            AoYjICBAEcwVEBQgCkZXQFCAKBRHQECAIIzmCAgIEIQ+HAEBAYLQzREQECAIjY6AgABBqMURGBAoCKU5AgMCBSF3R2BAoCDkwxEY
            ECgIhCMwIFAQkF2BQYGiYNUVGBSoCo7AgEBBcAIGAgrBgBMwEFAIen4S/AF5zv2+/QUAAA==
            """
    )

    static let usual = EncodedBody(
        "gzip: level 6",
        encoding: "gzip",
        decoded: Sample.rows(40),
        base64: """
            H4sIAAAAAAAAA13UPWqDMRCE4T6nCKpdfDurX9/GJC5SJAGbVCZ3jwloNZpWvCCYR+iRPt7T+Tilr8vnNZ3Tz/16ez3SKd3fvm/P
            g+P35fGf2J7YSoaNGWGPsKLufUa+R76iVtqM8h7lFdVWZ1T2qKyojDKjukeVIsszanvUVpTdZ9T3qK/IC2Y09misCM1iTBncaHEb
            a3MdnVa3I1Y3md1od8TsJrsbDT9yDG+yvNH0vcb0Jtsbjd96jG+yvtH87Yj5TfY3AqgIABMBI4KSg8DEwAgh10CAIIAQvAcCBAGE
            gLGevr59RrBQgCiAFMxDAaIAUiiBAEEAIYwWCBAEEEIfgQBBACF0CwQIAgiheSBAEEAItQSCC4ITQmmB4ILghJB7ILggOCHkY/1A
            +gURgiMQXBCcEJBDwUXBScFqKLgoOCsEgguCE0IQuBA4EQwEgQuBD77xSfAHec79vv0FAAA=
            """
    )

    static let smallest = EncodedBody(
        "gzip: level 9",
        encoding: "gzip",
        decoded: Sample.rows(40),
        base64: """
            H4sIAAAAAAACA13UPWqDMRCE4T6nCKpdfDurX9/GJC5SJAGbVCZ3jwloNZpWvCCYR+iRPt7T+Tilr8vnNZ3Tz/16ez3SKd3fvm/P
            g+P35fGf2J7YSoaNGWGPsKLufUa+R76iVtqM8h7lFdVWZ1T2qKyojDKjukeVIsszanvUVpTdZ9T3qK/IC2Y09misCM1iTBncaHEb
            a3MdnVa3I1Y3md1od8TsJrsbDT9yDG+yvNH0vcb0Jtsbjd96jG+yvtH87Yj5TfY3AqgIABMBI4KSg8DEwAgh10CAIIAQvAcCBAGE
            gLGevr59RrBQgCiAFMxDAaIAUiiBAEEAIYwWCBAEEEIfgQBBACF0CwQIAgiheSBAEEAItQSCC4ITQmmB4ILghJB7ILggOCHkY/1A
            +gURgiMQXBCcEJBDwUXBScFqKLgoOCsEgguCE0IQuBA4EQwEgQuBD77xSfAHec79vv0FAAA=
            """
    )

    static let fixedCodes = EncodedBody(
        "gzip: only fixed codes",
        encoding: "gzip",
        decoded: Sample.rows(20),
        base64: """
            H4sIAAAAAAAEA6tWykxRsjLQUcpLzE1VslIqLU4tUjBQ0lEqTs4vAgoY1HJVg5UYoioxRCixNLSEKTJCVWSEUGRhbAFTZIyqyBih
            yNzUHKbIBFWRCUKRmbkZTJEpqiJThCJTS1OYIjNURWZIigxNYIrMURWZIxSZGBvDFFmgKrJAKDI2NYIpskRVZIlQZGRuCA9MtAA3
            RApxQ0tEmKMHOlKoGxrAQ90QLdgNkcLdCB7shmjhbogU8JYm8IA3RAt5Q6SgtzCDB70hWtgbIgW+uQU88A3RQt8QKfjNDeDBb4gW
            /oZIEWBmBI8AQ7QYMESKAlMTeBQYosWBIVIkmJgBIwEAPSr4G/UCAAA=
            """
    )

    static let huffmanOnly = EncodedBody(
        "gzip: no matches",
        encoding: "gzip",
        decoded: Sample.rows(20),
        base64: """
            H4sIAAAAAAAEAwXBO44EIQxAwbxPgV7sYJnpz7Rvg8ABASCBiBB336pFTuifUEMxlDmsuz+EEVs39G8fi5xQL9RQDGUO684jjNi6
            oa9/97HICf0INRRDmcO6+yCM2Lqhv+9vH4uc0K9QQzGUOay7L8KIrRv6XM8+Fjmhp1BDMZQ5rLsTYcTWDb2fex+LnNBLqKEYyhzW
            3YUwYuuGXu+1j0VO6C3UUAxlDuvuRhixdUMvf+5jkRP6CDUUQ5nDunsQRmzd0PP73cciJ/Qn1FAMZQ7r7ocwYuuGfq/PPhY5oa9Q
            QzGUOay7F2HE1g39PH4fi5xQ/yfUUAxlDuvO/yGM2Lqh/v3bxyIn1HuhhmIoc1h33iOM2Lqh/u/dxyIn1H+EGoqhzGHd+Q/CiK0b
            +vntY5ET6r9CDcVQ5rDu/BdhxNYNfc9nH4ucUH8KNRRDmcO68yfCiK0b+rvvfSxyQv0l1FAMZQ7rzl8II7Zu6PO79rHICfW3UEMx
            lDmsO38jjNi6oc/fuY9FTqh/hBqKocxh3fkHYcTWDb0/330sckL9T6ihGMoc1p3/IYzYuqHX+dnHIifUv0INxVDmsO78izBi64ae
            t9/HPz0q+Bv1AgAA
            """
    )

    static let empty = EncodedBody(
        "gzip: nothing",
        encoding: "gzip",
        decoded: [],
        base64: """
            H4sIAAAAAAAAAwMAAAAAAAAAAAA=
            """
    )

    static let oneByte = EncodedBody(
        "gzip: one byte",
        encoding: "gzip",
        decoded: [0x61],
        base64: """
            H4sIAAAAAAAAA0sEAEO+t+gBAAAA
            """
    )

    static let incompressible = EncodedBody(
        "gzip: incompressible bytes",
        encoding: "gzip",
        decoded: Sample.noise(300),
        base64: """
            H4sIAAAAAAAAAwEsAdP+PF6BtAxexo4Eo0Bsl9Y8+9xTrog3GhJRIbWVYUPA7i1V+2OMd/7gtvX5J1+vKX4sl99UBPM71AZiC1gh
            z2glnMvuAgf/zXRkq/e7fWol5r+ilIkNa5DyVsZG6fBubloFqb9xf9dIAFmpFEs3PsWAnZP7ekz8uKBzmR7w0wIxjwSPeXRxBK7z
            vIHOWaP3TMeVlCMGkNYUCvU5UktvwFQ9GrGshXxiA7MV3aace7Q9rllincHM/MxO2BmmCRIwvk6q12rUZp8Pl1F6HwAc52OZgE5/
            8xZGyX16v95xqzCaIv5cTUEYO2DswijCo4lZyWODP2GZq2K4oJ/Gx/vO8leNQC9vYp6OQ/MdyxzXaCTCWMKtYmHnzw2vbtwvVbL6
            qdWD1G+CKsLO33tdvSUBXzmm9CwBAAA=
            """
    )

    static let fullHeader = EncodedBody(
        "gzip: every header field",
        encoding: "gzip",
        decoded: Sample.rows(40),
        base64: """
            H4sIHgAAAAAAAwUAZXh0cmFyb3dzLmpzb24AYSBjb21tZW50AGAeXdQ9aoMxEIThPqcIql18O6tf38YkLlIkAZtUJnePCWg1mla8
            IJhH6JE+3tP5OKWvy+c1ndPP/Xp7PdIp3d++b8+D4/fl8Z/YnthKho0ZYY+wou59Rr5HvqJW2ozyHuUV1VZnVPaorKiMMqO6R5Ui
            yzNqe9RWlN1n1Peor8gLZjT2aKwIzWJMGdxocRtrcx2dVrcjVjeZ3Wh3xOwmuxsNP3IMb7K80fS9xvQm2xuN33qMb7K+0fztiPlN
            9jcCqAgAEwEjgpKDwMTACCHXQIAggBC8BwIEAYSAsZ6+vn1GsFCAKIAUzEMBogBSKIEAQQAhjBYIEAQQQh+BAEEAIXQLBAgCCKF5
            IEAQQAi1BIILghNCaYHgguCEkHsguCA4IeRj/UD6BRGCIxBcEJwQkEPBRcFJwWoouCg4KwSCC4ITQhC4EDgRDASBC4EPvvFJ8Ad5
            zv2+/QUAAA==
            """
    )

    static let members = EncodedBody(
        "gzip: three members, one empty",
        encoding: "gzip",
        decoded: Sample.rows(40) + Sample.noise(300),
        base64: """
            H4sIAAAAAAACA13UPWqDMRCE4T6nCKpdfDurX9/GJC5SJAGbVCZ3jwloNZpWvCCYR+iRPt7T+Tilr8vnNZ3Tz/16ez3SKd3fvm/P
            g+P35fGf2J7YSoaNGWGPsKLufUa+R76iVtqM8h7lFdVWZ1T2qKyojDKjukeVIsszanvUVpTdZ9T3qK/IC2Y09misCM1iTBncaHEb
            a3MdnVa3I1Y3md1od8TsJrsbDT9yDG+yvNH0vcb0Jtsbjd96jG+yvtH87Yj5TfY3AqgIABMBI4KSg8DEwAgh10CAIIAQvAcCBAGE
            gLGevr59RrBQgCiAFMxDAaIAUiiBAEEAIYwWCBAEEEIfgQBBACF0CwQIAgiheSBAEEAItQSCC4ITQmmB4ILghJB7ILggOCHkY/1A
            +gURgiMQXBCcEJBDwUXBScFqKLgoOCsEgguCE0IQuBA4EQwEgQuBD77xSfAHec79vv0FAAAfiwgAAAAAAAADAwAAAAAAAAAAAB+L
            CAAAAAAAAAMBLAHT/jxegbQMXsaOBKNAbJfWPPvcU66INxoSUSG1lWFDwO4tVftjjHf+4Lb1+Sdfryl+LJffVATzO9QGYgtYIc9o
            JZzL7gIH/810ZKv3u31qJea/opSJDWuQ8lbGRunwbm5aBam/cX/XSABZqRRLNz7FgJ2T+3pM/Ligc5ke8NMCMY8Ej3l0cQSu87yB
            zlmj90zHlZQjBpDWFAr1OVJLb8BUPRqxrIV8YgOzFd2mnHu0Pa5ZYp3BzPzMTtgZpgkSML5Oqtdq1GafD5dReh8AHOdjmYBOf/MW
            Rsl9er/ecaswmiL+XE1BGDtg7MIowqOJWcljgz9hmatiuKCfxsf7zvJXjUAvb2KejkPzHcsc12gkwljCrWJh588Nr27cL1Wy+qnV
            g9RvgirCzt97Xb0lAV85pvQsAQAA
            """
    )
}
