import Foundation

#if os(Linux)
import CCachedRead
#endif

/// Reads of a file what the system has in memory, and waits for no disk.
///
/// - Returns: How many bytes were read; 0 or -1 if there is an end, or a disk to wait for, as always on Apple's systems.
func cachedRead(_ descriptor: CInt, into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    #if os(Linux)
    read_cached(descriptor, bytes.baseAddress, bytes.count, offset)
    #else
    -1
    #endif
}
