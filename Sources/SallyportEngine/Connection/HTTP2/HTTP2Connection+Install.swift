import NIOCore
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
        try HTTP2Limits.boundReads(of: channel)
        try channel.pipeline.syncOperations.addHandler(connection)
        return connection
    }
}
