import Testing

/// Private keys that `openssl genpkey`, `ecparam` and `rsa` have written, in every PEM format.
struct PemVector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String

    static let rsaPkcs8 = PemVector(
        testDescription: "rsaPkcs8",
        text: """
            -----BEGIN PRIVATE KEY-----
            MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCsU7t265jHLQUX
            sQ/4+91qoqdvUzbxKVuu8tu/mREsGwFoFGInkWmVt/sVlgfJz9W4rRg8P0iIlmUf
            KVhDp/+H25qH5OkGvfS5OhW8JnFrteWl58dSiWv8HXtniSTO/JjYRZArbnm66qxf
            P98BTA0nidnJGLFDtshhQp6crhyd4XQ7F8nlvHcVfW/9F25Y8fprxyTqubJuJMRG
            f+fdLZ6R3+kpU5vj2mo2hWDTulcncaGKkFFykEk2h8QxQ36S0OiEcC8s2ahpC0vd
            Km+JdtoMuslfmFG8u2o4aJhL6uK4u6fNaQlAHdhxikBPw1DWnC2I4h0/tAZ/A6R+
            W9AR4YO9AgMBAAECggEAG6jI4xqHiBiSw624yZbrgA0hYL3ziJvByn/Sg5s25WRk
            QmdbJcyyLMS9+UX+dAb239BwnmLt6nZxPqItN5bEbfLyh7NXL6zXlc9b47or5ETq
            2kksdfP2sB2vS/v4O3zRr4ziygXOZhD6n8MpsRSa2+jFWwCqmxrAaNP/j1hm4XQl
            3dfMLWm4PIuz5HgS94ZLTyVTF/uECOuOEhLAdnDYGF9EarL3txX2Bwqlu+SqIMKC
            3NUe7sYyyyYO4LNukmgEJ3R+CXQAjavTt481lgjL5XWzCHao+1hggGoeGGQI9fso
            GNucWQxZZs54IvkawjV2n81f+6pS4fX2GA6grMwSBQKBgQDfPooRGwlGLMudV+7J
            TJv5CvwwTUCaKIiMArHX43h1NuM+l4+G7OOAXOuIO/A3E8fkG2Oif5jvqzjK3xS9
            fu0Xyuxp0yCxbOIScaTVooC5h6fd5czwsjrNJbR3zdIQwLAgI9gbOd78vKy6wRyK
            ozo1n2xV3a15BOanI6hIwJoPhwKBgQDFnKZmI3WN3pil1jLOk6SRqTQ7L0j0urq9
            Dl2KMNLEOvNmKL4obtTpfCF7LLjFxsqg2rhC5U9c0jrYvWETiPwdQLcDMSCqCiU/
            eHJSo0VrGzGe+xqb9eeWNxJ+OdpjL9jC36yYiYB742aQcwwrGAwDtXn4Us68GX/e
            hNwOWko7mwKBgQCPkaWzOILvWXGc/+b2GEmakQD8g0IPog+mkzkSURyvrRvZrhjE
            ueXZMGjc1Uc39IWx4hdictLFF4VPmsW41D7f9UWzDO9Si2acW++Y4IgOSPqhDt+M
            z+JW+m+kOH5m/bSHBuY9JCuOuDwRYo3bbvvJbnx6gDTGxmsbhCf+mba6UwKBgGWp
            taGOVIfsILQQgorsQhn95rUcGnhtKGzi2xShEY2KlnXUOCAtBLQp/D+WPmjhYJVo
            cKtZtX6XWVbv9uVJ8ApMpNqrh5ZzKb6BhK8m+CumDd0wafwagk4xfv4ZXVTx5J48
            3FqNQuB5mOZvia8R6/xsfJdYYqs6oyIjT+LCaLZJAoGBAKg5BslWyv4w+iIC8GMS
            uhtl8VBA9uaQ429AuOvk92BIpxow0R+8Cl1AqVq6LV8PaaD9Wf5WVswkmG3/6IdU
            I8ID8jchn1Ao/1OGrN715dHMFJ4X01fB+qgzAhmBROpi55qPLLzVP8pgETa3vfEn
            DAHEYuHBqUw4+4HvP3/t9ThN
            -----END PRIVATE KEY-----
            """
    )
    static let rsaPkcs1 = PemVector(
        testDescription: "rsaPkcs1",
        text: """
            -----BEGIN RSA PRIVATE KEY-----
            MIIEpAIBAAKCAQEArFO7duuYxy0FF7EP+PvdaqKnb1M28SlbrvLbv5kRLBsBaBRi
            J5Fplbf7FZYHyc/VuK0YPD9IiJZlHylYQ6f/h9uah+TpBr30uToVvCZxa7XlpefH
            Uolr/B17Z4kkzvyY2EWQK255uuqsXz/fAUwNJ4nZyRixQ7bIYUKenK4cneF0OxfJ
            5bx3FX1v/RduWPH6a8ck6rmybiTERn/n3S2ekd/pKVOb49pqNoVg07pXJ3GhipBR
            cpBJNofEMUN+ktDohHAvLNmoaQtL3SpviXbaDLrJX5hRvLtqOGiYS+riuLunzWkJ
            QB3YcYpAT8NQ1pwtiOIdP7QGfwOkflvQEeGDvQIDAQABAoIBABuoyOMah4gYksOt
            uMmW64ANIWC984ibwcp/0oObNuVkZEJnWyXMsizEvflF/nQG9t/QcJ5i7ep2cT6i
            LTeWxG3y8oezVy+s15XPW+O6K+RE6tpJLHXz9rAdr0v7+Dt80a+M4soFzmYQ+p/D
            KbEUmtvoxVsAqpsawGjT/49YZuF0Jd3XzC1puDyLs+R4EveGS08lUxf7hAjrjhIS
            wHZw2BhfRGqy97cV9gcKpbvkqiDCgtzVHu7GMssmDuCzbpJoBCd0fgl0AI2r07eP
            NZYIy+V1swh2qPtYYIBqHhhkCPX7KBjbnFkMWWbOeCL5GsI1dp/NX/uqUuH19hgO
            oKzMEgUCgYEA3z6KERsJRizLnVfuyUyb+Qr8ME1AmiiIjAKx1+N4dTbjPpePhuzj
            gFzriDvwNxPH5Btjon+Y76s4yt8UvX7tF8rsadMgsWziEnGk1aKAuYen3eXM8LI6
            zSW0d83SEMCwICPYGzne/LysusEciqM6NZ9sVd2teQTmpyOoSMCaD4cCgYEAxZym
            ZiN1jd6YpdYyzpOkkak0Oy9I9Lq6vQ5dijDSxDrzZii+KG7U6Xwheyy4xcbKoNq4
            QuVPXNI62L1hE4j8HUC3AzEgqgolP3hyUqNFaxsxnvsam/XnljcSfjnaYy/Ywt+s
            mImAe+NmkHMMKxgMA7V5+FLOvBl/3oTcDlpKO5sCgYEAj5GlsziC71lxnP/m9hhJ
            mpEA/INCD6IPppM5ElEcr60b2a4YxLnl2TBo3NVHN/SFseIXYnLSxReFT5rFuNQ+
            3/VFswzvUotmnFvvmOCIDkj6oQ7fjM/iVvpvpDh+Zv20hwbmPSQrjrg8EWKN2277
            yW58eoA0xsZrG4Qn/pm2ulMCgYBlqbWhjlSH7CC0EIKK7EIZ/ea1HBp4bShs4tsU
            oRGNipZ11DggLQS0Kfw/lj5o4WCVaHCrWbV+l1lW7/blSfAKTKTaq4eWcym+gYSv
            Jvgrpg3dMGn8GoJOMX7+GV1U8eSePNxajULgeZjmb4mvEev8bHyXWGKrOqMiI0/i
            wmi2SQKBgQCoOQbJVsr+MPoiAvBjErobZfFQQPbmkONvQLjr5PdgSKcaMNEfvApd
            QKlaui1fD2mg/Vn+VlbMJJht/+iHVCPCA/I3IZ9QKP9Thqze9eXRzBSeF9NXwfqo
            MwIZgUTqYueajyy81T/KYBE2t73xJwwBxGLhwalMOPuB7z9/7fU4TQ==
            -----END RSA PRIVATE KEY-----
            """
    )
    static let smallRsa = PemVector(
        testDescription: "smallRsa",
        text: """
            -----BEGIN PRIVATE KEY-----
            MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAND9QvWIPGs9cOmj
            puS0S4eQjYMbqDfw9mYZJXbe1LXJ+xLbnXOHA2SCqQv4UtEK1T10JNQZoqdQGUyU
            lStlFMQFV8PYMHnQGR1tqVPT68FLPer3cI5dXwv4GEZsxrWxOqMNAawCrEok3fod
            ux4BntHT7wuwuO9jU9Cg94PnuFuLAgMBAAECgYBAm0qr5OXosSHK2JCreyEuU32r
            3kzunktN3NA8Iz7WxA4eEk5mfIKL++iOjsHrZdHuIY2RFCu4VYa8qeJDfAgi0gum
            TkuVHIm6LQpBszixOVrl/ypt9zOsSo+VSRzK3X/TAGNWVujctJUsW99p0Cp8RXBF
            WT/r0Df3x0hzIOlqAQJBAOtM+YYtKnWBFItQY3mY9fH1ClqpERltZDJyp+4LYclx
            fHVSUxvpIYS4eT87MMU+ptoZiXAmAaRv4gjJG+RmYkECQQDjX7+hmB2rLIvOU7LF
            2TuhGspY8ftMg/vL92ZIUj/Pl5zCXTsnXcZAMTerdEfQaYNGgDUnsNYw3hGuRAIZ
            5/LLAkEAlYjQlp3DevNyS+rlnNRBkOfKEb2Z+U/Uul61LAmdtnhhwOl1mao5u+/E
            VhPWtbNQNBDAkD4HEyprOmwcRrVuQQJAdpn2MotPRn94+YntIYibswBvdg/a/mGG
            ETGeV7EXeehiq3vIJFOk2s0Rdcy0vQCcqkSr9WUnhNwBKv5sfijgGwJAHGmRAQia
            lv6tKJEExr6hAHvUN6hh9d5d1PnbkxboYXxUAsSLE8QLXYEObS3D59+9TNiQZEu/
            BbaMtzWwHyJMYQ==
            -----END PRIVATE KEY-----
            """
    )
    static let p256Sec1 = PemVector(
        testDescription: "p256Sec1",
        text: """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIO+vJjUP2y4Kb2JkDqXRfwXM8Bx7b88tIhRf7JaHYhjgoAoGCCqGSM49
            AwEHoUQDQgAEVh7aKl92FI2mRkj33LCGh9rn+9ym6RMaPN8Fc49Nruf+7fXFY4b3
            khZo/UbiPrRJduDH1UZsHdyQfrd23PJdsw==
            -----END EC PRIVATE KEY-----
            """
    )
    static let p256Pkcs8 = PemVector(
        testDescription: "p256Pkcs8",
        text: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg768mNQ/bLgpvYmQO
            pdF/BczwHHtvzy0iFF/slodiGOChRANCAARWHtoqX3YUjaZGSPfcsIaH2uf73Kbp
            Exo83wVzj02u5/7t9cVjhveSFmj9RuI+tEl24MfVRmwd3JB+t3bc8l2z
            -----END PRIVATE KEY-----
            """
    )
    static let p384Sec1 = PemVector(
        testDescription: "p384Sec1",
        text: """
            -----BEGIN EC PRIVATE KEY-----
            MIGkAgEBBDBdgsxG5TlJKy9DaWRB1z/fEAhcMDwhfZ8RudSQjt6L8l7wL33pY5Fs
            OstM8QzaAlGgBwYFK4EEACKhZANiAARzreEFenXQarKqDNy3LC03cJN7m/9OjZMX
            Gc2LNaQoTRwfd+Elxlb2AwouPgkCsQ6jSISPq7pbqInqv6mQElsZWKKV2coTHbzZ
            cTqcr7rMokM6TpiKM4vtG9iwDVX6JhY=
            -----END EC PRIVATE KEY-----
            """
    )
    static let p521Sec1 = PemVector(
        testDescription: "p521Sec1",
        text: """
            -----BEGIN EC PRIVATE KEY-----
            MIHcAgEBBEIAk/VGu2fm/qymSYfWbNxmlPE7htJmQ12K0sgVSgYfl/XsmT2ExLfq
            9DffodDyabq85WLmEHf8LASyw32OabLmyL6gBwYFK4EEACOhgYkDgYYABAH5KuxZ
            zsc+o7uXhq/67eR8qeKzWLTcliOhLMznSdjcYYW+RDX4KvlQIXaqWBs4HCpw12P9
            Ae/JKlr+IHTi58GcdgFEwUXoBe5vycIORQ3Q+4Dd2snLPgCgiJbxER2somu/HRhB
            lcj7iNRBf8/Et523+6Gp2DVLVg+8BavXbrArwMVrew==
            -----END EC PRIVATE KEY-----
            """
    )
    static let ed25519 = PemVector(
        testDescription: "ed25519",
        text: """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIG6X3Pwvda06E/gE26Q4i2q7KDgUaELVplcCAuwrBFJT
            -----END PRIVATE KEY-----
            """
    )
    static let x25519 = PemVector(
        testDescription: "x25519",
        text: """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIPjBjOHbim/VZq0OD5+HfkXNJaGHmkGcli2howwxiQBf
            -----END PRIVATE KEY-----
            """
    )
}
