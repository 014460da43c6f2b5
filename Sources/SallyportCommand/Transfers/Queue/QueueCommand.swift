import ArgumentParser

/// Transfers that are kept until they have been made.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Keeps transfers until they have been made, by this or a later process.",
        discussion: """
            Transfers are added, and made by queue watch until all have ended, or by queue run for as long as that runs. \
            Of several such processes one makes them, and another takes over when it ends, in whatever way. What is \
            under way then goes on from where it stopped.

            Examples:
              sallyport queue add https://example.com/large.iso /tmp/large.iso
              sallyport queue add photo=beach.jpg https://api.example.com/photos
              sallyport queue watch
              sallyport queue list

            The queue is in the folder sallyport/queue of XDG_STATE_HOME (~/.local/state), unless --folder names \
            another. It keeps URLs with their queries, readable by you only, and takes no credentials: as whom to \
            appear is said to watch and run.
            """,
        subcommands: [
            QueueAddCommand.self, QueueListCommand.self, QueueWatchCommand.self, QueueRunCommand.self,
            QueueCancelCommand.self, QueueRetryCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
            QueueRemoveCommand.self,
        ]
    )
}
