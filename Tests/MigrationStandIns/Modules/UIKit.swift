// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import Foundation

open class UIViewController: NSObject {}
