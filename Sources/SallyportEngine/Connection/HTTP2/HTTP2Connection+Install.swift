import NIOCore
import NIOHTTP2
import SallyportTransport

extension HTTP2Connection {
    /// Makes a connection of a channel that is ready to carry HTTP/2. To be called on the channel's event loop.
    static func install(
        on channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) throws -> HTTP2Connection {
        let connection = HTTP2Connection(
            channel: channel,
            origin: origin,
            owner: owner,
            watch: watch,
            configuration: configuration,
            facts: facts
        )
        var rules = NIOHTTP2Handler.ConnectionConfiguration()
        rules.initialSettings = HTTP2Limits.settings(configuration.responses)
        // The length of a body is checked by its stream, which can tell one that is short from one that is long.
        rules.contentLengthValidation = .disabled
        // To NIO, what is still on its way for a reset stream is a violation once it has forgotten the stream.
        rules.maximumRecentlyResetStreams = HTTP2Limits.largestPlaces
        try HTTP2Limits.boundReads(of: channel)
        let frames = NIOHTTP2Handler(mode: .client, connectionConfiguration: rules)
        try channel.pipeline.syncOperations.addHandlers(frames, connection)
        return connection
    }
}
