// The whole program uses the code that both applications share.
@_exported import LocalApp
