// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores
// The functions of Apple's loader.

public func _dyld_image_count() -> UInt32 { fatalError() }

public func _dyld_get_image_name(_ index: UInt32) -> UnsafePointer<CChar>! { fatalError() }
