/// What a server may send now and then, and not without end.
struct Floods {
    /// SETTINGS, PING and PRIORITY.
    var controls = FloodGauge()
    var resets = FloodGauge()
    var brokenStreams = FloodGauge()
    /// DATA without any content, one after the other.
    var emptyData = 0
}
