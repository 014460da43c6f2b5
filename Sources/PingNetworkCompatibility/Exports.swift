@_exported import PingNetworkFactory
@_exported import enum Sallyport.LogManager
@_exported import enum Sallyport.NetworkConstants
