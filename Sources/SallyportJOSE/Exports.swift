@_exported import enum SallyportTransport.JsonValue
