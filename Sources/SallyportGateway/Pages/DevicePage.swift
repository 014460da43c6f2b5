/// Asks for the code that a device shows: field `user_code`, sent by POST to `action`.
struct DevicePage: Page {
    let action: String
    var userCode = ""
    var problem: String?
    var hidden: [(name: String, value: String)] = []

    var html: String { "" }
}
