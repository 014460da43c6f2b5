import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ProofMakerTests {
    @Test func `A proof contains only the nonce of the server it is sent to`() async throws {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        let maker = ProofMaker(key: try .generate(.es256), nonces: ProofNonces(), now: { time })
        maker.nonces.remember("one", from: "https://id.example.com/token")
        maker.nonces.remember("two", from: "https://api.example.com:8443/")
        let first = try maker.proof(method: "POST", url: "https://ID.example.com:443/par")
        #expect(try ProofOfPossession(verifying: first).nonce == "one")
        let second = try maker.proof(method: "GET", url: "https://api.example.com:8443/a", accessToken: "token")
        let proof = try ProofOfPossession(verifying: second)
        #expect(proof.nonce == "two")
        try proof.check(method: "GET", url: "https://api.example.com:8443/a", accessToken: "token", at: time)
        let third = try maker.proof(method: "GET", url: "https://api.example.com/a")
        #expect(try ProofOfPossession(verifying: third).nonce == nil)
    }

    @Test func `Storing a nonce returns whether it is new`() {
        let nonces = ProofNonces()
        let url = "https://id.example.com/token"
        #expect(nonces.remember("one", from: url))
        #expect(!nonces.remember("one", from: url))
        #expect(!nonces.remember(nil, from: url))
        #expect(nonces.nonce(for: url) == "one")
        #expect(nonces.remember("two", from: url))
        #expect(nonces.nonce(for: url) == "two")
    }

    @Test(arguments: ["", "a b", "a\"b", "a\\b", "é", "a\u{7F}", "a\r\nb", String(repeating: "a", count: 1025)])
    func `An invalid nonce is not stored`(_ nonce: String) {
        let nonces = ProofNonces()
        #expect(!nonces.remember(nonce, from: "https://id.example.com"))
        #expect(nonces.nonce(for: "https://id.example.com") == nil)
    }

    @Test func `The nonce of the least recently used server is discarded first`() {
        let nonces = ProofNonces()
        for number in 0..<64 { nonces.remember("n\(number)", from: "https://\(number).example.com") }
        nonces.remember("again", from: "https://0.example.com")
        nonces.remember("new", from: "https://new.example.com")
        #expect(nonces.nonce(for: "https://0.example.com") == "again")
        #expect(nonces.nonce(for: "https://1.example.com") == nil)
        #expect(nonces.nonce(for: "https://2.example.com") == "n2")
        #expect(nonces.nonce(for: "https://new.example.com") == "new")
    }

    @Test func `Many tasks can store nonces concurrently`() async {
        let nonces = ProofNonces()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { nonces.remember("n\(number)", from: "https://\(number % 8).example.com") }
            }
        }
        for number in 0..<8 {
            let nonce = nonces.nonce(for: "https://\(number).example.com")
            #expect(nonce.flatMap { Int($0.dropFirst()) }.map { $0 % 8 } == number)
        }
    }
}
