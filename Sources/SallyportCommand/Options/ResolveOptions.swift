import ArgumentParser
import Sallyport

/// Where hosts are found, if not where the resolver says.
struct ResolveOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An address to use for a host and port instead of asking the resolver. (repeatable)",
            valueName: "host:port:address"
        ),
        transform: AddressOverride.init(argument:)
    )
    var resolve: [AddressOverride] = []
}
