import Foundation
import SallyportJourney
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PushServerTests {
    private let secret = Data(repeating: 7, count: 32)

    private func token(_ endpoint: String) -> String { PushServer(endpoint: endpoint).deviceToken(from: secret) }

    @Test func `The address of a device is the same for all endpoints of a server, and different for each server`() {
        let base = "https://id.example.com/am"
        let own = token("\(base)/json/push/sns/message?_action=register")
        #expect(token("\(base)/json/push/sns/message?_action=authenticate") == own)
        #expect(own.utf8.count == 43)
        for other in [
            "https://id.example.com", "https://id.example.com/am2", "https://evil.example.com/am",
            "http://id.example.com/am", "https://id.example.com:8443/am",
        ] {
            #expect(token("\(other)/json/push/sns/message?_action=register") != own)
        }
        #expect(token("https://evil.example.com/?\(base)/json/push/sns/message") != own)
        #expect(token("\(base)/json/push/../../../evil/register") != own)
        #expect(token("\(base)/json/push/%2e%2e/%2e%2e/%2e%2e/evil/register") != own)
        #expect(PushServer(endpoint: "\(base)/json/push/x").deviceToken(from: Data(repeating: 8, count: 32)) != own)
        #expect(PushServer(endpoint: "\(base)/json/push/x").messagesURL == "\(base)/push/messages")
    }
}
