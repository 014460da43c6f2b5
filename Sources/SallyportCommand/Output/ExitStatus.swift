/// How the command ends, in the numbers of curl.
enum ExitStatus: Int32 {
    case other = 1
    case usage = 2
    case badURL = 3
    case hostNotFound = 6
    case connectionFailed = 7
    case weirdReply = 8
    case partialBody = 18
    case errorResponse = 22
    case writeError = 23
    case unreadableInput = 26
    case timeout = 28
    case tlsFailed = 35
    case tooManyRedirects = 47
    case emptyReply = 52
    case receiveFailure = 56
    case clientCertificate = 58
    case certificateRefused = 60
    case badEncoding = 61
    case tooLarge = 63
    case loginDenied = 67
    case authorityFile = 77
    case pinMismatch = 90
    /// What came is not what was announced or asked for; curl has no number for it.
    case mismatch = 120
    case hungUp = 129
    case interrupted = 130
    case terminated = 143
}
