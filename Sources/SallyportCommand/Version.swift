/// The version of the command.
let sallyportVersion = "0.1.0"
