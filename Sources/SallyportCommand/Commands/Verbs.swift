import ArgumentParser
import Sallyport

struct GetCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetches what is at a URL."
    )
    static let method = HttpMethod.get
    @OptionGroup var options: RequestOptions
}

struct HeadCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Fetches only the head of the response, and prints it."
    )
    static let method = HttpMethod.head
    @OptionGroup var options: RequestOptions
}

struct PostCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Sends a body to be processed."
    )
    static let method = HttpMethod.post
    @OptionGroup var options: RequestOptions
}

struct PutCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Sends a body to be stored at a URL."
    )
    static let method = HttpMethod.put
    @OptionGroup var options: RequestOptions
}

struct PatchCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Sends a change to what is at a URL."
    )
    static let method = HttpMethod.patch
    @OptionGroup var options: RequestOptions
}

struct DeleteCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes what is at a URL."
    )
    static let method = HttpMethod.delete
    @OptionGroup var options: RequestOptions
}

struct OptionsCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Asks what can be done with a URL."
    )
    static let method = HttpMethod.options
    @OptionGroup var options: RequestOptions
}
