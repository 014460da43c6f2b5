import NIOCore
import NIOHTTP1
import SallyportTransport

extension HTTP1Connection {
    /// Makes a connection of a channel that is ready to carry HTTP/1.1. To be called on the channel's event loop.
    static func install(
        on channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) throws -> HTTP1Connection {
        let tail = ResponseTail()
        let connection = HTTP1Connection(
            channel: channel,
            origin: origin,
            owner: owner,
            watch: watch,
            tail: tail,
            configuration: configuration,
            facts: facts
        )
        try channel.pipeline.syncOperations.addHandlers(
            tail,
            requestEncoder(),
            ByteToMessageHandler(responseDecoder(configuration.responses)),
            connection
        )
        return connection
    }

    /// The fields that frame a body are set before a request reaches a connection.
    private static func requestEncoder() -> HTTPRequestEncoder {
        var encoding = HTTPRequestEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        return HTTPRequestEncoder(configuration: encoding)
    }

    private static func responseDecoder(_ responses: ResponseLimits) -> HTTPResponseDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = responses.headBytes
        limits.maxHeaderListSize = responses.headBytes
        limits.maxHeaderFieldCount = responses.headFields
        return HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes,
            informationalResponseStrategy: .forward,
            limitConfiguration: limits
        )
    }
}
