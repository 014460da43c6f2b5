import ArgumentParser
import Foundation
import Sallyport
import SallyportResource
import SallyportStorage

/// The settings of a profile for resource calls.
struct ResourceSettings: Codable, Sendable {
    /// The app, its servers and their keys.
    var model: ConfigModel
    /// The file with the only certificate authorities to trust.
    var authorities: String?
    /// The proxy, as in the option `--proxy`.
    var proxy: String?
    /// The file of `--config` that the model was read from; `nil` for the settings of a profile.
    var file: String?

    // The file is not stored in the profile.
    private enum CodingKeys: CodingKey { case model, authorities, proxy }

    /// The redirect URI at which this command receives the result of a login. The server ignores its port (RFC 8252, section 7.3).
    var redirectURL: String { model.redirectURL ?? "http://127.0.0.1/callback" }

    /// Calls a closure with the client of a profile, and waits until no tokens are being refreshed, for a short time if it succeeds.
    ///
    /// - Parameters:
    ///   - name: The profile.
    ///   - verbose: The interceptor that shows requests and responses, if any.
    func withClient<Value>(
        of name: ProfileName,
        verbose: VerboseInterceptor? = nil,
        _ body: (ResourceClient) async throws -> Value
    ) async throws -> Value {
        try await name.reporting {
            let client = try self.client(of: name, verbose)
            do {
                let value = try await body(client)
                await client.finish(within: ProfileSession.refreshWait)
                return value
            } catch {
                await client.finish()
                throw error
            }
        }
    }

    /// Returns the identity of the device, for operations that send nothing. They work even after the pins have expired.
    func localIdentity(of name: ProfileName) throws -> DeviceIdentity {
        var settings = self
        settings.model.pinExpiry = nil
        (settings.authorities, settings.proxy) = (nil, nil)
        return try settings.client(of: name).identity
    }

    private func client(of name: ProfileName, _ verbose: VerboseInterceptor? = nil) throws -> ResourceClient {
        var model = model
        model.redirectURL = redirectURL
        let security = try TransportSecurity(authorities: authorities)
        let proxy = try ProxyPolicy(argument: proxy)
        let stores = try ProfileFolder().identityStores(of: name)
        do throws(ResourceError) {
            return try ResourceClient(model, stores: stores) { config in
                config.transportConfiguration.security = security
                config.transportConfiguration.proxy = proxy
                if let verbose { config.addWireInterceptor(verbose) }
            }
        } catch {
            // The error names a setting, but not the place of the settings.
            let register = "sallyport device register\(name.option) --config FILE"
            throw CommandFailure(
                .usage,
                file.map { "the file \($0): \(error)" }
                    ?? "the settings of the profile \(name): \(error); to replace them: \(register)"
            )
        }
    }
}

/// The options for the settings of resource calls. Without `--config`, omitted options have the values of the profile.
struct ResourceSettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The settings of the app in JSON, with the keys of ConfigModel: appIdentifier, appVersion, baseURL, resourceBaseURL, \
            pins or certificates, and others. --cacert and --proxy belong to them. device register stores all of \
            them in the profile. (default: those of the profile)
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json", "plist"])
    )
    var config: String?

    @Option(name: .customLong("cacert"), help: .cacert, completion: .file())
    var authorities: String?

    @Option(help: ArgumentHelp("A proxy to the servers, as for requests; empty for none.", valueName: "url"))
    var proxy: String?

    @OptionGroup
    var profile: ProfileOptions

    /// Returns the settings of the file or, if there is no file, the settings of the profile.
    ///
    /// - Throws: A failure that names the problem of the file, or the command that stores settings.
    func settings() throws -> ResourceSettings {
        let name = try profile.name()
        var settings: ResourceSettings
        if let config {
            // Throws an error that states why the file cannot be read.
            _ = try InputFile(config)
            settings = ResourceSettings(model: try ConfigModel(contentsOf: URL(fileURLWithPath: config)), file: config)
        } else if let stored = try ProfileFolder().loadResourceSettings(name) {
            settings = stored
        } else {
            let option = name == .standard ? "" : " --profile \(name)"
            throw CommandFailure(
                .usage,
                "the profile \(name) has no settings for resource calls: sallyport device register\(option) --config FILE"
            )
        }
        if let authorities { settings.authorities = URL(fileURLWithPath: authorities).path }
        if let proxy { settings.proxy = proxy }
        return settings
    }
}
