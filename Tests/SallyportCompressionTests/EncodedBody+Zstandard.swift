import TestSupport

#if Compression && os(Linux)

extension EncodedBody {
    static let zstandard = [zstandardText, zstandardRows, zstandardNoise, zstandardEmpty]

    static let zstandardText = EncodedBody(
        "zstd of a sentence, with a checksum",
        coding: "zstd",
        decoded: Sample.text,
        base64: """
            KLUv/SRdXQIAgoUQEaDt4BMCRcy/1YKr9nGx3zMjQLQi1l9wzd0eaWvL0O15gHE/i7y6Hd3KkDe9PO15Fx0p4hLVdcE3O+R9n62V
            vi4SAQAxBAUFnlckwg==
            """
    )

    static let zstandardRows = EncodedBody(
        "zstd of rows, without a checksum",
        coding: "zstd",
        decoded: Sample.rows(60),
        base64: """
            KLUv/WAICEUKAAaRKBiQudABy4IZqzbtmXmdbCllSiltyPv9HJQsAB0AHQA1kTfz8n9obDq11SLLylZYkMNAJA4EFMMwCEACoUAY
            h4EoCDAYBnIYAwQjIeTJjhxZSFbJ8eZvnI3QVrRNbS4bN7KybcRS+FY1drlNYw/ZrpalbdtZa7ZsS9yWW3r7IUvkiixFUgmFxcif
            9K/+49//OT+hv+if+l/+2ptdZhPt167tPYCxqDGw2/3vkDNKdhAUgYEmJYwPYj3HTv00QqzrAzgk6AszF1vhYbB+Yggd1veQG4JP
            jL1eLPynrPVCWWPk8fFoaHZixHQdOfpD0rfhoRdnOcTWgYbB+8QAhe4RKcT9UL/hUMgH4Rz0juAciBdw+9PPb/SxwTfv+XrNHupl
            mfJYC+/5nV3X0eFwNq+bk94cDPXupvS0vtdq3paV0NlCvzMAVQE=
            """
    )

    static let zstandardNoise = EncodedBody(
        "zstd of noise, which is stored",
        coding: "zstd",
        decoded: Sample.noise(300),
        base64: """
            KLUv/WQsAGEJADxegbQMXsaOBKNAbJfWPPvcU66INxoSUSG1lWFDwO4tVftjjHf+4Lb1+Sdfryl+LJffVATzO9QGYgtYIc9oJZzL
            7gIH/810ZKv3u31qJea/opSJDWuQ8lbGRunwbm5aBam/cX/XSABZqRRLNz7FgJ2T+3pM/Ligc5ke8NMCMY8Ej3l0cQSu87yBzlmj
            90zHlZQjBpDWFAr1OVJLb8BUPRqxrIV8YgOzFd2mnHu0Pa5ZYp3BzPzMTtgZpgkSML5Oqtdq1GafD5dReh8AHOdjmYBOf/MWRsl9
            er/ecaswmiL+XE1BGDtg7MIowqOJWcljgz9hmatiuKCfxsf7zvJXjUAvb2KejkPzHcsc12gkwljCrWJh588Nr27cL1Wy+qnVg9Rv
            girCzt97Xb0lAUbsG9k=
            """
    )

    static let zstandardEmpty = EncodedBody(
        "zstd of nothing",
        coding: "zstd",
        decoded: [],
        base64: "KLUv/SAAAQAA"
    )

    static let zstandardFrames = EncodedBody(
        "zstd of a sentence in two frames, between two that are skipped",
        coding: "zstd",
        decoded: Sample.text,
        base64: """
            UypNGAUAAABoZWxsbyi1L/0kKEEBAFRoZSBzYWxseSBwb3J0IGlzIHRoZSBndWFyZGVkIGRvb3Igb2YgYSDMDxuGKLUv/SA1qQEA
            Zm9ydHJlc3M6IHRoZSBvbmUgd2F5IG91dCwgY29udHJvbGxlZCBvbiBib3RoIHNpZGVzLgpTKk0YBQAAAGhlbGxv
            """
    )

    static let zstandardLong = EncodedBody(
        "zstd of many rows with a small window",
        coding: "zstd",
        decoded: Sample.repeated(Sample.rows(60), count: 300),
        base64: """
            KLUv/YQwYJUKAPQKANYQKBiQKenLRmasqvvPzNPJllKmlNIGxH6/AhwsAB0AHQA1kTfz8n9obDq11SLLygawQIpxQCAMJIZhkADE
            IZEwinEwEDgYBlIMgoKhEOTJjhxZSFbJ8eZvnI3QVrRNbS4bN7KybcRS+FY1drlNYw/ZrpalbdtZa7ZsS9yWW3r7IUvkiixFUgnk
            T/pX//Hv/5yf0F/0T/0vf+3NLrOJ9mvX9h6AuKhBsNv973AzUjAdElAQ4DBCShFAvf3//zOy9oWkoHKpxsRfl0shc9hP9CV6v+BT
            /EX8gMcECXw/5CcVgn+7EvHjITteyDCH7HyLx/R8lfCFG2UEvdwkxtNED3qHpgfkc+UGtFvTj/gxMH0Xm9gISptPDRE/XNIQFQYn
            xAeJCMKBywOiv+B+eB8RPniP6f29Vi9Y8rBfeCh3r66ga+q3Zdl7makBW8XZfcCqAJkagFUlAMJUD4AzAF0FVAAAECI6AQD7fx1g
            AVQAABBjbwEA+38dYAFUAAAQdXMBAPt/HWABVAAAECI6AQD7fx1gAVQAABAKewEA+38dYAFUAAAQIjoBAPt/HWABVAAAECwiAQD7
            fx1gAVQAABAibgEA+38dYAFUAAAQLCIBAPt/HWABTQAACDEBAFwVHQgBUQuXeA==
            """
    )

    static let zstandardWidestWindow = EncodedBody(
        "zstd with a window of 8 MiB",
        coding: "zstd",
        decoded: Sample.repeated([0x61], count: 70_000),
        base64: "KLUv/QBoVQAAEGFhAQBrETnAAg=="
    )

    static let zstandardWiderWindow = EncodedBody(
        "zstd with a window of 16 MiB",
        coding: "zstd",
        decoded: Sample.repeated([0x61], count: 70_000),
        base64: "KLUv/QBwVQAAEGFhAQBrETnAAg=="
    )

    static let zstandardDictionary = EncodedBody(
        "zstd with a dictionary",
        coding: "zstd",
        decoded: Sample.text,
        base64: """
            KLUv/SOCFXclXekCAFRoZSBzYWxseSBwb3J0IGlzIHRoZSBndWFyZGVkIGRvb3Igb2YgYSBmb3J0cmVzczogdGhlIG9uZSB3YXkg
            b3V0LCBjb250cm9sbGVkIG9uIGJvdGggc2lkZXMuCg==
            """
    )

    /// One hundred million zeros in gzip (97,221 bytes), which is encoded in brotli (158 bytes) and then in zstd.
    static let nestedBomb = EncodedBody(
        "a triple-encoded decompression bomb",
        coding: "gzip, br, zstd",
        decoded: [],
        base64: """
            KLUv/SCe8QQAX8R7gd9IjGMkH4ooQ/AQ9+79sVqDtuAclhV3nYdxm7ZIHHWeBTasfA1aWQUV4pTTFmEkmIBEeAwEwzcAASAA0f/t
            AUBoqAMgSseVIADt2W9x1k1s4R4AtHc9SQAI/zelGbgHAHW7TQZof2q+LBokIw4O9wDg3mrIVfK+9xkK9wBg/V86K6QSI2D7/Zgz
            3EICAI77v5kXydiFslwcXgo=
            """
    )
}

#endif
