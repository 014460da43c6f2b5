import Foundation

#if os(Linux)
import CCachedRead
#endif

/// Reads the part of a file that is in the system's page cache, without waiting for the disk.
///
/// - Returns: The number of bytes read; 0 or -1 at the end of the file, or if the read would wait for the disk. Always -1
///   on Apple platforms.
package func cachedRead(_ descriptor: CInt, into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    #if os(Linux)
    read_cached(descriptor, bytes.baseAddress, bytes.count, offset)
    #else
    -1
    #endif
}
