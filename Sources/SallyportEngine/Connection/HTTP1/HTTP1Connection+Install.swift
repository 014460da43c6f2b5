import NIOCore
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
        let connection = HTTP1Connection(
            channel: channel,
            origin: origin,
            owner: owner,
            watch: watch,
            configuration: configuration,
            facts: facts
        )
        try channel.pipeline.syncOperations.addHandler(connection)
        return connection
    }
}
