import TestSupport

#if Compression && os(Linux)

extension EncodedBody {
    static let brotli = [brotliText, brotliRows, brotliNoise, brotliEmpty]

    static let brotliText = EncodedBody(
        "brotli of a sentence, with the dictionary",
        coding: "br",
        decoded: Sample.text,
        base64: "G1wA6I2TY+123CoFKt1cqivZ1oTvGMSB+nDYgAP3AffMQ37wkMX41myKYQxiPPMjcZ4NouyvPFBGnuOqtzljQEUswemt0yXVaZ0A"
    )

    static let brotliRows = EncodedBody(
        "brotli of rows",
        coding: "br",
        decoded: Sample.rows(60),
        base64: """
            GwcJAMSykfM1ipyuuPn2qXMkIBAgDClE/T0qlrVnvFmW4MdvGU8r0CndHFW9iLplyfsJhwLNv//n5+u87vP8ff5+n9f5jvD1cc/z
            PM33ed3341hAeC+2QfGMJiSdToflU10R5WQT5XrA0epjKUZzFMZqDxsbLn3CH2x/9RO4G0y4mA2ZwHqDCUxtMIGeDSbQd4MJFDeY
            QLzBBFxFE03RhFt84gVFE6hoXknRZLtoMls0GRRNWkWTSskiXbLwlCx8SxZiybrplCxQpSe9UrJeW7JYlizGZZuusk112SZbtgnK
            NlbZRinbN1vZvrEt2wBl+9JUHDYVh6mKQ0/FoW/FoVhxiCsOroqDpuKgW3E+JN4P
            """
    )

    static let brotliNoise = EncodedBody(
        "brotli of noise, which is stored",
        coding: "br",
        decoded: Sample.noise(300),
        base64: """
            i5WAPF6BtAxexo4Eo0Bsl9Y8+9xTrog3GhJRIbWVYUPA7i1V+2OMd/7gtvX5J1+vKX4sl99UBPM71AZiC1ghz2glnMvuAgf/zXRk
            q/e7fWol5r+ilIkNa5DyVsZG6fBubloFqb9xf9dIAFmpFEs3PsWAnZP7ekz8uKBzmR7w0wIxjwSPeXRxBK7zvIHOWaP3TMeVlCMG
            kNYUCvU5UktvwFQ9GrGshXxiA7MV3aace7Q9rllincHM/MxO2BmmCRIwvk6q12rUZp8Pl1F6HwAc52OZgE5/8xZGyX16v95xqzCa
            Iv5cTUEYO2DswijCo4lZyWODP2GZq2K4oJ/Gx/vO8leNQC9vYp6OQ/MdyxzXaCTCWMKtYmHnzw2vbtwvVbL6qdWD1G+CKsLO33td
            vSUBAw==
            """
    )

    static let brotliEmpty = EncodedBody(
        "brotli of nothing",
        coding: "br",
        decoded: [],
        base64: "Ow=="
    )

    static let brotliLong = EncodedBody(
        "brotli of many rows with a small window",
        coding: "br",
        decoded: Sample.repeated(Sample.rows(60), count: 300),
        base64: """
            9P8fAIhlq+Yxiow+MfX1s86RgECAMASI+ntULGvPeLMswY/fApIKdEo3R1UvMJSwbQz+XGgmLRb//Dvfn+e5r/P78fN1nvMd4fN+
            z+tczdd57v/btoDwXmyD4hlNSDqdDsunuiLKySbK9YCj1cdSjOYojNUeNjYc+oRf2P7oO3A3mHAxGzKB9QYTmNpgAj0bTKDvBhMo
            bjCBeIMJuIommqIJt/jEC4omUNG8kqLJdtFktmgyKJq0iiaVkkW6ZOEpWfiWLMSSddMpWaBKT3qlZL1WyWJZshiXbbrKNtVlm2zZ
            JijbWGUbpWzfbGX7xrZsA5TtS1Nx2FQcpioOPRWHvhWHYsUhrji4Kg6aioNuxbnJ/LO6B7yF9P8fAEgAxGEB6N4H6P8/AJAAiMMC
            0L0P0P9/ACABEIcFoHsfoP//AEACIA4LQPc+IL4qAUgAxGEBaDQCAA==
            """
    )

    /// Ten million zeros.
    static let brotliBomb = EncodedBody(
        "brotli of zeros",
        coding: "br",
        decoded: [],
        base64: "y///P/gnAOKxQCD3/i//LDHwTwDEYRGAjiMG"
    )

    /// A window of 64 MiB, which only the library's own extension of the format allows.
    static let brotliLargeWindow = EncodedBody(
        "brotli with a large window",
        coding: "br",
        decoded: [],
        base64: "EVqMAeCXCAvEAgEd"
    )
}

#endif
