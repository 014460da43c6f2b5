@_exported import HTTPTypes
@_exported import SallyportTransport

#if !os(Linux)
@_exported import SallyportURLSession
#endif
