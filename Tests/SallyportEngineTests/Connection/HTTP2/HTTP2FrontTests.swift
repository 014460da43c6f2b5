import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2FrontTests {
    @Test
    func `A stream reset before the HTTP/1.1 server is connected leaves no connection`() async throws {
        let head = [(":method", "POST"), (":scheme", "http"), (":authority", "127.0.0.1"), (":path", "/")]
        let frames: [WireFrame] = [.settings([:]), .headers(1, head), .reset(1, 8)]
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        try await withScriptedServer([[.stall]]) { server in
            try await withHTTP2Front(to: server.port, tls: nil) { port in
                let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port).get()
                try await client.writeAndFlush(ByteBuffer(bytes: preface + frames.flatMap(\.bytes)))
                _ = try await server.connection(0)
                try await server.waitForOpenConnections(0)
                try await client.close()
            }
        }
    }
}
