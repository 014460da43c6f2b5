import HTTPTypes
import Hummingbird
import NIOCore
import SallyportResource

/// The handshake of payload encryption, and the public keys for the configuration of apps.
@available(macOS 14, iOS 17, tvOS 17, *)
struct PayloadEncryptionRoutes: RouteGroup {
    let encryption: GatewayPayloadEncryption

    let routeDescriptions = [
        GatewayPayloadEncryption.handshakePath:
            "POST: opens a session of payload encryption (Docs/payload-encryption.md).",
        GatewayPayloadEncryption.keysPath: "GET: the public keys of payload encryption, for the configuration of apps.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post(RouterPath(GatewayPayloadEncryption.handshakePath)) { request, context in
            guard request.headers[.contentType] == PayloadFields.handshakeType else {
                return Response.payloadRefusal(.invalidHandshake)
            }
            let body = try await request.body.collect(upTo: PayloadHandshakeAnswer.maximumLength)
            do throws(PayloadRefusal) {
                let address = context.channel.remoteAddress?.ipAddress ?? ""
                let response = try encryption.open(String(buffer: body), from: address)
                return Response(
                    status: .ok,
                    headers: [.contentType: PayloadFields.handshakeType, .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: response))
                )
            } catch {
                return Response.payloadRefusal(error)
            }
        }
        router.get(RouterPath(GatewayPayloadEncryption.keysPath)) { _, _ in
            try Response.json(encryption.publicKeys)
        }
    }
}
