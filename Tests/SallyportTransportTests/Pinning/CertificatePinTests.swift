import Foundation
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CertificatePinTests {
    @Test func `The pin of a certificate is the value that openssl computes`() throws {
        #expect(
            try CertificatePin(certificatePEM: Self.elliptic).description
                == "sha256/g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ="
        )
        #expect(
            try CertificatePin(certificatePEM: Self.rsa).description
                == "sha256/DhMGE6Mii+NwnwAuuykTnK0Gs5TU3jQz46xHi1h/+is="
        )
    }

    @Test func `The first certificate of a text is used, and surrounding text is ignored`() throws {
        let text = "Subject: CN=ec\r\n" + Self.elliptic.replacing("\n", with: "\r\n") + Self.rsa
        #expect(try CertificatePin(certificatePEM: text) == CertificatePin(certificatePEM: Self.elliptic))
    }

    @Test func `All certificates of a chain become pins, in order`() throws {
        let text = "leaf\n" + Self.elliptic + "root\n" + Self.rsa
        let pins = try CertificatePin.all(certificatesPEM: text)
        #expect(
            pins.map(\.description) == [
                "sha256/g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
                "sha256/DhMGE6Mii+NwnwAuuykTnK0Gs5TU3jQz46xHi1h/+is=",
            ]
        )
    }

    @Test func `A chain without certificates or with an invalid one is refused`() {
        let invalid = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for text in [
            "", "no certificate", Self.elliptic + invalid, Self.elliptic.replacing("-----END", with: "-----EN"),
        ] {
            expectError(\NetworkError.kind, "invalidRequest") { try CertificatePin.all(certificatesPEM: text) }
        }
    }

    @Test func `The size of an RSA key is determined, and other keys have none`() throws {
        let rsa = try #require(PEMCertificates(Self.rsa)?.der.first)
        let elliptic = try #require(PEMCertificates(Self.elliptic)?.der.first)
        #expect(CertificateFields(der: rsa)?.rsaKeyBits == 2048)
        #expect(CertificateFields(der: elliptic)?.rsaKeyBits == nil)
    }

    @Test(
        arguments: [
            "", "sha256/", "sha256/AAAA", "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
            "sha256/g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ", "sha256/g06bfmA0z_hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
            "sha256//g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
            "sha256/ g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
            "SHA256/g06bfmA0z/hjF0pXR0Z1yGAWXyFn6iHnZYzuA8yd3mQ=",
            "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ]
    )
    func `A malformed pin is refused, and the error quotes it`(text: String) {
        #expect {
            try CertificatePin(text)
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("\"\(text)\"")
        }
    }

    @Test func `A truncated or malformed certificate is refused, and a changed one causes no crash`() throws {
        let der = try #require(PEMCertificates(Self.elliptic)?.der.first)
        let pin = try CertificatePin(certificateDER: Data(der))
        for length in 0..<der.count {
            expectError(\NetworkError.kind, "invalidRequest") {
                try CertificatePin(certificateDER: Data(der.prefix(length)))
            }
        }
        expectError(\NetworkError.kind, "invalidRequest") { try CertificatePin(certificateDER: Data(der + [0])) }
        for position in der.indices {
            for value in [0x00, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = der
                changed[position] = value
                // The result may be a valid certificate, but parsing must not trap.
                _ = try? CertificatePin(certificateDER: Data(changed)) == pin
            }
        }
        expectError(\NetworkError.kind, "invalidRequest") { try CertificatePin(certificatePEM: "no certificate") }
        expectError(\NetworkError.kind, "invalidRequest") {
            try CertificatePin(certificatePEM: String(Self.elliptic.dropLast(40)))
        }
    }

    private static let elliptic = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAT+gAwIBAgIUIg5HV8z86WiKMb0X242Qc7avfuEwCgYIKoZIzj0EAwIw
        ITESMBAGA1UECgwJU2FsbHlwb3J0MQswCQYDVQQDDAJlYzAgFw0yNjExMjEwNTU4
        MzhaGA8yMTI2MTAyODA1NTgzOFowITESMBAGA1UECgwJU2FsbHlwb3J0MQswCQYD
        VQQDDAJlYzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAjj0dEhmY7oW9LyEH3J
        xXouOVMxMQuSvCelWEVEtfPtYZ7sd/RJUuz22AGOkdr3qEEE0fbXd7Y/2Q92odFN
        ooKjUzBRMB0GA1UdDgQWBBRZiN4J5QXASDLz3Tf8cdNivh+SajAfBgNVHSMEGDAW
        gBRZiN4J5QXASDLz3Tf8cdNivh+SajAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
        BAMCA0kAMEYCIQCPLS5JBAVkThp89xamw+iq4PrAngIqLdkTyxczLLsNtQIhAMlt
        F48Z9eP6V3Aap0q3rmJZx1Qn5gUkyzM7+5h5a+Nj
        -----END CERTIFICATE-----

        """

    private static let rsa = """
        -----BEGIN CERTIFICATE-----
        MIIC/zCCAeegAwIBAgIUe7dbpk+RC277KX3h6C33ssojSzwwDQYJKoZIhvcNAQEL
        BQAwDjEMMAoGA1UEAwwDcnNhMCAXDTI2MTEyMTA1NTgzOFoYDzIxMjYxMDI4MDU1
        ODM4WjAOMQwwCgYDVQQDDANyc2EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQCOi4pHFJxiArWSPVnO6LRprgKPK90/i5I6LZVP+SmSOa+fI3MboFJK9Tkh
        zw2SB0KRCpOUESEucWkIhJLklXpddKbZ2qacFD7xGn5Q0uNrvizqIb+7EDRUzLiH
        FgnjX0tTtrurVGJgsH1xctAynlSn1jI3W0Ki1jlIA46dpxELSLKLOOuK6rA04Nid
        T+AKKb5StRRRXwKho1fYmCF/HH/38jiHfn8IkphdTfmHOmppnFYIlevG75IHINLL
        LvUbr9Yn3dnlK/rhO7GXTD+FVAY4eGv2yRtvRCQc41zkHINTdkm7AZViN2RNiUbQ
        ElhxpU+KwnJFjCWMi9lcmT/BO6KpAgMBAAGjUzBRMB0GA1UdDgQWBBR3PGHNvSOm
        r+i4brtnLl1MA3TKBzAfBgNVHSMEGDAWgBR3PGHNvSOmr+i4brtnLl1MA3TKBzAP
        BgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQAdDGGRY3bqpYWu8cNj
        fksFxaOOxoDZgZvXqJ+DX6QpHRiaZ/e+eTH3ZJOhtyH4iz99DtdhRX+NXhyLWp9r
        KF6ZVSQxJLlw2p6UdBtEps2Qo401rOWO8VrMcRiWiBueAMihSu/wa25tM7of94rz
        2kO9m+P/4d+9KIPbTKoKQlrYf1+RVspwYiA8JGn/08ymrYUOngLChewPpVcgHTDu
        P5KET3pRFLc2itdEDj+KzwmRM0pAZYNPTK7wUmA+aqC+S+xCVj7UOrDARWyr7PHo
        KXTEnEvvyrbwVcdAmmZ037P+EIveYAjjHStFyyVLx3ZLd21koqZlyQ+K7hcDFdkL
        4OHb
        -----END CERTIFICATE-----

        """
}
