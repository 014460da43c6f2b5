import Foundation
import Hummingbird

/// What every room gets with a request: JSON answers are pretty and their keys sorted.
@available(macOS 14, iOS 17, tvOS 17, *)
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
