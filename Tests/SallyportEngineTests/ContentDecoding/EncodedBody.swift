import TestSupport
import Foundation
import Testing

/// An encoded body and its decoded bytes.
struct EncodedBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encoding: String
    let decoded: [UInt8]
    let encoded: [UInt8]

    static let short = gzip + deflate

    init(_ description: String, encoding: String, decoded: [UInt8], base64: String) {
        testDescription = description
        self.encoding = encoding
        self.decoded = decoded
        encoded = Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map(Array.init) ?? []
    }
}

/// Bodies created with the zlib module of Python 3.11.
extension EncodedBody {
    static let long: [EncodedBody] = [
        .farMatches, .longRows, .longBare,
    ]

    static let farMatches = EncodedBody(
        "gzip: matches from 32300 bytes back",
        encoding: "gzip",
        decoded: Sample.noise(300) + Sample.zeros(32_000) + Sample.noise(300),
        base64: """
            H4sIAAAAAAACA+3dW0uTAQCA4WlTKRVBTFI08TDSSNQrEacZggjaQNNykua+SYjKxlCI5jkREvIAKWPiiQbCWk1KC6HD1gdujOm8
            aDovTL1KghBxiOjEvOkH+APe54888vq+xYh6x7DUVNRq2JAHth5YX+bGR1ckfxpXFdv3M6sD6lfPznc/H53cejKf0X3HsFMl9ed7
            Q4XwmuS1Jtmkez847N9qe6Pl+EtXs+y37c3YYGTL6OFDR8mfA42mNsRs0/X4SiVKc0xZbuFy79TrgL78bGm2zXjz4Gdwzoh05Hm7
            Tmr1f+3zKE3H5c7xsdTQ0Y2Ya0d5lWVae1VB/Id3A53ClYXrv+YmOxYLrEph6sfK2YpiM27uanT2d8VbX7P36UyUoUKfJEnYUxt7
            FT3+2BJXl962rbNkT6ScP75/70Z+w18xXTQNKl3q/rsqo0VYmp1xOAOew0dDRVlaYXq42J/oTvA1pYk14ntBtbcWOa/Zyqr+eGpe
            7/dqX9wWPTsddd9kQRIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+E/OFX/pK/4CWOZ6D1h/
            AAA=
            """
    )

    static let longRows = EncodedBody(
        "gzip: more than a window",
        encoding: "gzip",
        decoded: Sample.repeated(Sample.rows(40) + Sample.noise(300), count: 60),
        base64: """
            H4sIAAAAAAACA+3VW4gWdRzHYbPNyJJALErs4FvSAcOdmffooQxBAk2wtNwoa3c1zGoXDxG5mZoECaVCihiakiCYpVQWQgdtIUU0
            vci0C8uukiBEXERqxZLgnff//u+6f26HLwz8PsM8PYUX5hTGto4udLW/PLcwtvDKorkL72wtjC4s6uxeeOVB69LBPf9NkuZJ0pjU
            klp9lDaP0saomlXro6x5lDVGlVKlPio2j4qNUblSro9KzaNSY1SqleqjcvOoHIySYn1UaR5VGqNiltVH1eZRtTHKSml9VGse1Rqj
            tJLkx4wOngQXT2qNm8dHD66etOZXT6KzJ8Hd0/zsSXT3JDh8rZgfPokunwSnr5bz0yfR7ZPg+JVqfvwkun4SnL/Smp8/ie6fBAHK
            aR4giQokQYJSMU+QRA2SIEKxnEdIowhpECGr5hHSKEIaREhrjU8//vbDCEleIY0qpEGFJMsrpFGFNKhQyiOkUYQ0iFCr5BHSKEIa
            RKjW8ghpFCENIlSTPEIaRUiDCJUsj5BGEdIgQrmUR8iiCFkQoVTJI2RRhCyIUKzmEbIoQhZEKLY2/kDxLyiIkKV5hCyKkAUR0mJe
            IYsqZEGFpJxXyKIKWVghj5BFEbIgQp4gixJkQYJamifIogRZLXzjlQTjZ6/Yc8PsA6tbtk18acOJ8f2nHt/1dmX40Okjv1jfPmn/
            2Qdm9ne+8+rl37688Nc9z+6+743RG07PaOkbd3xQx/WzRh6bN2rT4bMDr/3nh8Vzdl78aun8Ub/v+3DdqiEvrj3/xIHJf5zr6nrq
            mh37Fiw7+ciAth3DplQe/H755vf6l0y9tHfroo23n/txYLKmZc1rixe07Or7esXRtm0Xpx5cv+6uQWtPDBt8ofbYlO79MyYM//Tj
            t17vuPrzm37Zvqlnz4RdbR2bvzty6ci0n2/dft3Q1m+nfXRy/vHnt9y4YfqSOwaMONO5cfm0ZX03Tz60dMm+XxfsbH2/cPnpRx++
            Zdxzf/be27ttVduhzpUPtW/c2bF365YDB/uPnn/y3Yljujs+WD2p77bDI07Ou7t3Vu8nHe1njg3Z3XVqzMzP/t7x08rj3W/e33v0
            dM8z34y6qgeUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKU
            oAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCC
            EpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlK
            UIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShB
            CUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQl
            KEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSg
            BCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIIS
            lKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBCUoQQlKUIISlKAEJShBCUpQghKUoAQlKEEJSlCCEpSgBOX/gfJfULvv/5ytAQA=
            """
    )

    static let longBare = EncodedBody(
        "deflate: more than a window, bare deflate",
        encoding: "deflate",
        decoded: Sample.zeros(200_000) + Sample.rows(40),
        base64: """
            7dS9itZQFIbRqb0KST3Ft8/J79yN6BQWKsxgJd67guRkZ3f2a5XhhcB+Qp6eAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAID/9Wv6+mV6eTxP3z99e51epp/vr28fH9Pz9P75x9vfB4/fH/5N4j6Ja3LEcY7afdSu0d73c9Tvo36NtmU7
            R/N9NF+jdVvP0XIfLddoOZZztN5HaxrFfI62+2i7RnPv52i/j/Zr1Jd2jo776LhGbYtxzHLwSBeP47p5PXq6ejzG1aOcPdLd2zh7
            lLtHOvwxj8NHuXyk0+/rOH2U20c6/raP40e5fqTzb49x/ij3jxRgbSNAlAKREizzSBClQaQI8zoitBKhpQh9HxFaidBShHZcn379
            9nOEGBVaqdBSheijQisVWqqwjAitRGgpwrGNCK1EaCnCfowIrURoKcIeI0IrEVqKsPURoZUILUVYlxGhlwg9RVi2EaGXCD1FmPcR
            oZcIPUWYH9cfqP6CUoTeRoReIvQUoc2jQi8VeqoQ66jQS4WeK4wIvUToKcJI0EuCnhIcbSToJUE/8hv/JvgD
            """
    )

    /// 10 MB of zeros, compressed twice: once gives a gzip stream of 1/1000 of that size.
    static let bomb = EncodedBody(
        "gzip: ten million zeros, twice",
        encoding: "gzip",
        decoded: [],
        base64: """
            H4sIAAAAAAACA+3QsQ2CQABA0TtoiCULWJiwhIkJG7gBq1xiSUNlWICa0traEWwcwDgCIGNA3qt+/Y9tEVZZ/n3G+I/UTeOvOAQA
            AAAAAAAAYOPS+5aXa9Rz8zhdoyMAO/OpXsP5ku59WABC9Vh2CSYAAA==
            """
    )
}
