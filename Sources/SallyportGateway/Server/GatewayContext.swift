import Foundation
import Hummingbird
import NIOCore

/// The context of a request in the gateway. JSON responses are indented, with sorted keys.
@available(macOS 14, iOS 17, tvOS 17, *)
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, for informational responses.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
