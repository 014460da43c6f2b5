import Foundation

/// A client certificate with its private key in several formats, made by OpenSSL 3.0. It is valid until 2126.
///
/// ```sh
/// openssl req -x509 -new -key key.pem -subj "/CN=Sallyport fixture client" -days 36500 -out certificate.pem
/// openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass:s3cret -out bundle.p12
/// ```
public enum ClientCertificateFixture {
    /// The password of the encrypted files, except ``nonASCIIBundle``.
    public static let password = "s3cret"

    /// The certificate.
    public static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVigAwIBAgIUeBLSOHEWvKtLQRRBjFsXceONfQwwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYU2FsbHlwb3J0IGZpeHR1cmUgY2xpZW50MCAXDTI2MTEyMzE3
        NDUxOFoYDzIxMjYxMDMwMTc0NTE4WjAjMSEwHwYDVQQDDBhTYWxseXBvcnQgZml4
        dHVyZSBjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASEs7dLzf08Xx47
        2u4f3iweHcWmniTqXfwoCmiZvVtGCP/VNDjJM5PBNlwTJh0zvD86zyd+bT1liwUg
        10bv/sTdo2gwZjAdBgNVHQ4EFgQU+NCAldD/8Go3kq4g3HSb4Q4q9xIwHwYDVR0j
        BBgwFoAU+NCAldD/8Go3kq4g3HSb4Q4q9xIwDwYDVR0TAQH/BAUwAwEB/zATBgNV
        HSUEDDAKBggrBgEFBQcDAjAKBggqhkjOPQQDAgNHADBEAiA/zHv0wL3ZT7eegvSf
        r7Ve4ZJyTW2NgzuV4nBG0DyhkwIgFvzaASv1PqJbbT7yFQPzSvIzboZ9KZ5mUY3e
        49KFoJ4=
        -----END CERTIFICATE-----

        """

    /// The private key, which is not encrypted.
    public static let keyPEM = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIBLvq656SCxmXv1u5+LoAYiVBD5hay02kTUmEimyg2I8oAoGCCqGSM49
        AwEHoUQDQgAEhLO3S839PF8eO9ruH94sHh3Fpp4k6l38KApomb1bRgj/1TQ4yTOT
        wTZcEyYdM7w/Os8nfm09ZYsFINdG7/7E3Q==
        -----END EC PRIVATE KEY-----

        """

    /// The private key, encrypted by PKCS #8 (RFC 5958) with AES-256 and PBKDF2.
    public static let encryptedKeyPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgjvbPTw1L9NAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMu6KJnXcxuaFD54jxbjKjoEgZBh
        3a2T5prLXhsAlqGq75O76yiW37j3lZZQ6kb02d4RA0Aw6cE7P3PkhyorLcl/djsQ
        6fzrBE2kbg3c7xZSVsP2Zw+xyakN0DW8FPqYTdFL1YwF1yufcO6GIts9xqTMCEB/
        DbRmOyD2xdDKO/h419alET5AmIZQFq0xyNhlTEyo/NdfvNeXKU1yhvc/lLyWwlg=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// The private key, encrypted in the format of earlier versions of OpenSSL.
    public static let traditionalKeyPEM = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,5DBD1E5A58CAE3360B895CFD9E0703E1

        opya16nMmKwz1xb/wXLReRc4C9ua71csIRxysgek5NlL5CTVx4fABYNnOmYLejOE
        d27X0GhM/mGrT/wDe5m0KVfxUXT/CMWlgIeR5bwtp6r0barJB0lZjRFyAT+xmwQD
        QOIV3a65s4pS0mXNVEOrsxuLOKG7k9YWmiMXgyvlt84=
        -----END EC PRIVATE KEY-----

        """

    /// A PKCS #12 file, encrypted with AES-256.
    public static let bundle = decoded(
        """
        MIIEPAIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj0QS9ojBfB4QICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPgh
        2p+L5gukSMoL+ACttL2AggIQ1Q4wa6EL8HdsIIrxJNHFiJvAr/eHnXnqrmJNHwxKE0SqWdcyGEn2HzdSo2EGKGvmMdj71zWRIm5W
        FqSnuXv389m3zQn4r0hliwCRUzEg3nRvS94YFMLxKvRkug8g5ktsIQqgWGLJ7BsI7HC0lO99GhP4HwBhuCJBwg5KSa83Eq3Q4Syo
        38hHesMImY0FunfKPvQncW0kZD5QLoxU9L++NthabW4fSc4pMKJ3pacG5Z2+OkVGZst/xPU0sOwK4h1DCBcIVGNiukb781iqU8da
        No+JnZl6SdQZbXDJRVPcGcTTrqnZpDXZ34Wv8Zb0RtxIHcc6hmZyclnCKFqDFaexeU65IVCN995EK5XObB32VivuqOeV2VOG23Kc
        47ZiHwFgCZXKIFkywGFZQFUORWh+u/z4z9RwSh5ER6iDFgKvxlIjcGb/n25r1pvry7Lvy7Xh671dfoNiP0PGytG1mSCmp0Z+p0PX
        erWay9K/vHfT3U/Zrv3g1qqKT/kRFtf9gxopqDdxrewFoVqOCv9TuMqUQiIqRjYmML3NdSB6EmFqaB/E3geirP8QswlHIivW9h7D
        +TYBrn1d2j+nuYpB1srt0sac4BTbFF4yTGM1l/TS5Df21KVvFSNIAbqlytwyUEql6N/G09O/aNps+dTEnyT+upO/CQGWLhN/Z/9e
        fvDf8UFaBEHd08j+0qNix+3AhbsjMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJ
        KoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECIQlWO57GRDXAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQKAok6KM1
        JdSJywCLs0qK9wSBkJPwwd/1zb+FAnwl4aH2+1HGdFgQxzP+2wnK6RMcOF4TOzHrueOpGynTlT1GUBgEvO3LgAq+z/RPXM8kFoG3
        UQcpxg0ZbIYB4uNFtmLUYi5fBAl5G1n+a8O60amW3BHJFk1UqjyYGrpD7Y6FmIJh1sOD8AUUyPK0Rq9aNvqoLb+xUaSh6ElOAHIT
        LnUBdgEBvDElMCMGCSqGSIb3DQEJFTEWBBRXipAS/+3ZOTDaTdymgeOHdpiJYTBBMDEwDQYJYIZIAWUDBAIBBQAEIBQrnTq7jyuB
        wPIO4ey4kUJPknm5X3Lbamwuf7eX5UDNBAjTDAQMLEOEIgICCAA=
        """
    )

    /// A PKCS #12 file, encrypted with the algorithms of earlier versions of OpenSSL and Windows (`-legacy`).
    public static let legacyBundle = decoded(
        """
        MIIDsgIBAzCCA3gGCSqGSIb3DQEHAaCCA2kEggNlMIIDYTCCAlcGCSqGSIb3DQEHBqCCAkgwggJEAgEAMIICPQYJKoZIhvcNAQcB
        MBwGCiqGSIb3DQEMAQYwDgQIqY2wX7K7UE0CAggAgIICEOjJ0tXKuXBRBFCjOWOxHm7QZce/jy1fEXvn3LNYu2XtWAFfFJMrGWcZ
        s85jRAZoD7VQISGKgY0YlR1Al2PUQP1e8VA89BLHPvw5lV/CWwbUp1B3ozrstX6Cnj7WGuseslQmAhTlz6h5aHAnvsv6mrVjTVH3
        6whg4eqQRMd6aWH9Dpsaqzx0kZJef/3cmwOiT4sHWKreNkyFsqOMH+sE/ldPzm08IH8Wr4ecA8CfbCsxfTXmMcKJ3FAKOEpxFHd9
        VmDRzaRnESXxtKUM0Vo2Tu3tY3zoI/91bDDLCzxUZMGd0Np901STd4kS2h2u8gErRimCn3+oFRlbZYQD3VpEuUvecZnE4Hr6SSF+
        lTqV1NWLQybuv1PQvlb+sPbcskLl8VA8e44GxVc3QoKdHns7rwT0h+ezjVYCwsbDR63JrwKtnzbLykjDLDowd4KZOl5gkoNuxA3k
        oCotjwUiQYAVqPFTWvoOqXsnW2QGeLySaZ2C4f0En02x32oGBmayrbnMbWfM1oTGaXLmahYm8gtkT7rMwhYE6gJyCn7Dr9DlQCpy
        2uqaJ19pJYPYBIT2vZQn/BdBauG6c+lc5Q0inV4kc2wE/tCtRjcDi+TWS+cIMEbR5D35BuVvuijv4z8No1jxPTC/XMkJLpi+B990
        c8pdB8TWPd+WhrxCsudoq4gPubixdgQbgWPn/ko2wrpK2DJIvTCCAQIGCSqGSIb3DQEHAaCB9ASB8TCB7jCB6wYLKoZIhvcNAQwK
        AQKggbQwgbEwHAYKKoZIhvcNAQwBAzAOBAgmALZ4tDJZAQICCAAEgZAEGxfMml+aEnrqjB+YmUii3IlnInIN6sV5oAaBdmSoDHu8
        D9ur62B1wba46+Scj/7Oh2D4J0BV7Jp0YSeT2LGkpESocEO3K+i1x622CA0Kg4qjR/NAOq+WLwI7UB5P9UPaHEqRWeHfWifCixNp
        aOjlxdVmElHOyp1GB2RrLsQAdxc6ORoK7IfX5Z8hSYrhM54xJTAjBgkqhkiG9w0BCRUxFgQUV4qQEv/t2Tkw2k3cpoHjh3aYiWEw
        MTAhMAkGBSsOAwIaBQAEFBUqn5/pcMO19q2+IGu98KNhmoExBAhR/ougIb0CnwICCAA=
        """
    )

    /// A PKCS #12 file with the password `pässword`.
    public static let nonASCIIBundle = decoded(
        """
        MIIEPAIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhR2eIm8QSf1QICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFQ7
        OdNRdcslDvOkCbXf6mOAggIQhVpi4N3kBN+denfXUYQUZ9GwLEBZBnWiu1qJAf7eODVlTbzoKahSQAWCT47J9Ek9PA7IpdUo8rzQ
        jKfj0W9VPcu3TSotV2d4mKSy3MtsDswNzM2y5Cc1ujTqynxLUvYMp+i14NlEAMyLLJsrFNFnYCvqJ2vEbsh8kKCtcYiZ8FDb1VR1
        yi2dNZj4jXPkdsgyduFZsxKp22Z3Bp27Eg1KqepcdZ3cGrg7BA+D0Dw+t2uZGLyvEVxdO/5U4CsGmY7wlXXHuS1V4fL06Q+H5Asu
        lB98peAmI0Q6UN8elrcnpJ3UGqD2RHjREUo1U9gqYnloOadrZrGrvhm4iPdnlJl7qZhAn2v7O2qm3BTBDecXRSZwe5GuGQDhjO4k
        VxU/1KATWsHAzWE3QJ4dSAuvsHRm+VrpYpVe9LkWBqKs10Q2q6044FA424gCKCiyQuoJ5+hf7JJI7jdMS2B0o4aLLkKWoNtL3jxf
        XRAI13KyiZ2qCueNonjKDAzeHApeFQdsapXeOp7S0EmJRhwS2M+DTM26W3+zSV4nT8V2gwcXXOud8o4bOtwSITibaj6mb26p0cxp
        UG+/ElmX+Sqml6WmnvzGLeo9NuK4xwxLJAFviJnGP9Clyrc17Z/Q0KKTyhUGhOMiMNp5UFTp2R4NyIfUL5LrVouD3ovnVqHbwrKN
        T0CbCSf47IpjnhRYQ2qAfw1kIV/bMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJ
        KoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECJzDvN7rQlK9AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQY080dHXC
        hqDLn+N6wACByASBkAhR9VKFjzc24NlhyJwomYrD/Qh6hbl9jbckOFFkMgAtBDPV1Vn3jpnTuOWRhH9dSKwQu1HgUvfGj6P7LVG/
        irp0JjOOAwi9ce9qGdcnMlnRZdjg0de+TA6VPKSg92RR8NWLyMiUnO2FjU7lxLHsLO73YQCdp4HqFJk9FfE/5hM+cp2dDZoafT4V
        JwYU7NVCojElMCMGCSqGSIb3DQEJFTEWBBRXipAS/+3ZOTDaTdymgeOHdpiJYTBBMDEwDQYJYIZIAWUDBAIBBQAEIJ3BNkYJYaad
        Xf9Gwsm6tEIxAaGmjTQ6rFGGSjkb73JLBAgWCnnv7F7F8QICCAA=
        """
    )

    /// A PKCS #12 file with an empty password.
    public static let openBundle = decoded(
        """
        MIIEPAIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgZzUcaaxx6xAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECz9
        OwADoVJfln+/nUHXC12AggIQaI2jqkDw59pbvqPrKXuhwf7L0AIrCF+0klY88BR5i+3setwe6iycYrvAFFW8Axm+jlDmcpzLOaKO
        QLh7G7ztoJnb6YDkYDx3c+yvpUJeLgXNkIc4/pybzObIq83k97dtd8wp3wp3BdS7yYVxz+YDKGHKgqU3dmJn1U4NcBVYP4Hki2P0
        OU3GXMfJKyh04MXIPEYpPORULeuQ6hIdd5zK326sbdSNioI5JfWkG2chFJbxEpmljO2L60D64n4RKk4MP3CWQmUZN+Qf3rED81yA
        EDmGfm53WdgsJPXG9ISjUZsJ2AhqrLMIJDqLy2M9J+oTfTgjJXRsa9JHl9/JofQH0ZPue6PDni6ap5KGxOdEIeKMd0BYATgBnfyL
        UMPEDzaSRqISspeCNLXHYDdH4bNGFGpV0NCtZbTNwPXwiQsISm/619WPVTqhn39jAthJZU8xyY85/UuE+8T3D6KrUBHGegNPMCDa
        1NVi8qQi1XK5a57xraUmCEgxq8jlOyJp2dgbzhxy853ZOeUPVK2svCW4OT3NfHkhHcJP80aSMgkCarbwzuVY+B9U7hqImyvcxNJT
        p6Tn/k9UtCEb6QuCrp/1l2upAtKt4YMGdao92yT8qpZmXsr9ksKXsrJvT83T18h+ICobGwaQKvM/HReFHR7BviuOAf7yf2JFPMMv
        pQarfq3FU33Y00+K0B6FW3vPWSCsMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJ
        KoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECKOE1CBTYdNjAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQmIcQU+hR
        81sFAHfkxuIiTwSBkLaglkRJBDdPACvjK/OjktusDeMdIJ7mU6Jes2XgPIneMt96SKPtTOUw0Y6dd7kRIw76Vn4TxZI0ZOounytw
        T0R9kC3TMCrLlA4mtpsjGxliNEQNhfNq7JlicKZ9lxpqMNzjvqba/LMQV06yinSlsVpyupjgZdVSde51jW98LMvgKBhzN9c1MQcg
        70lKlRz4CjElMCMGCSqGSIb3DQEJFTEWBBRXipAS/+3ZOTDaTdymgeOHdpiJYTBBMDEwDQYJYIZIAWUDBAIBBQAEII4JNgOrZ2H2
        qrN7PPJViqnYKsHU+9qiV1qUv9MsAKGEBAieuHGUXdKTHAICCAA=
        """
    )

    /// A PKCS #12 file without a private key (`-nokeys`).
    public static let bundleWithoutKey = decoded(
        """
        MIIC1wIBAzCCAo0GCSqGSIb3DQEHAaCCAn4EggJ6MIICdjCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjZSON5/wkjRgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEN2J
        S3UwBUeD1RxpiYQBmtyAggHwGOYofzJmdym+0zF4/yW/Fa2iPvxMpbIAZH3hCHCoaZjLuks3utazcsGL6sLJ3cKqV/TaIYV9xXCf
        M7071ixPSbVRTXPxTC2RS+7Fvc7FcVLWjtr2SFMC80Huf8OOPWCwl75BRNsYGlpKYRknYWPl8srQKR7GX9UalnPFlAPujO2V3SBd
        mP/OyaPO9L580nl0pddMsKAq1CNX8rNEAQBhvq5Vfmjn4vPuNzp6QN8FxIElka1XRJ8F02ubU2YP7clrlT+f5ojoqcpiIRgQ3bCF
        kMEsZvNaExya7VTBRVSCTpafKdy0+gZ36/UsqKFnSn5xqoCxV3jRvdphkOwZEf991dB+C/Hn698MfhmaKQJbnDr6Djoly6Jyaj9I
        gybjclxpqQTrRXHkVjI//h2SIkixzb9pBGzNRIhQyj6Yd44G2T/p76VNSjjH4a1AzwVRciQiCtGejmPm2Gth1jPrcHx/sl8O3IfY
        1HRcLwPt30yHF2OUVQNgx7LsizSwKm/PdyPpaE9U8dYG9rDzlKDUAkH0aua1Kkh/TtrbVVNNQ/ity1CdcUvq5fj9RqChqdfFOdNv
        vmg3wQ3bsF5wdDTe3wxRFr2ys4W6UpJgbPohOUiUslBPqnzNsRfSP0BOpEZthhO8J66f8mS3QIHTH8QJxiGmHTBBMDEwDQYJYIZI
        AWUDBAIBBQAEIHyu6Oh53G8x7X3fcV7i8QPxnVGqtOn4mBJ+ut3yN+TnBAiMidyTKOwknAICCAA=
        """
    )

    /// A PKCS #12 file without a certificate (`-nocerts`).
    public static let bundleWithoutCertificate = decoded(
        """
        MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEGMIIBAjCB/wYLKoZIhvcNAQwK
        AQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECCG6mD1cdmGEAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFl
        AwQBKgQQNh2+MMhxMTgLq72xKOM6CwSBkITYedhbpBBv+qL0WVVhKBwevEd3dLRFs2Z/98HXtkM8FC+JrW72BJP0XZZpU4gkicZi
        qWQOv+ceNs0WaGnzJTt4je5npZnmtAXW883zrHE7fOEMUmwXr7RRLmzzS/1szfa/U359LIG9o0OJhPod7h41FL43XZNaXYPxeYfS
        pnH/0uMwYnJnWbwRRvHzL9oqOzBBMDEwDQYJYIZIAWUDBAIBBQAEIPQUUhdeY1DT/FWOmq/U2KRsUuNsMfshO2ZvvrMMKxAMBAjD
        ZSZLusNzZwICCAA=
        """
    )

    private static func decoded(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
