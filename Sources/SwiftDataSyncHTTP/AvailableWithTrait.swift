// The first file of the module: the compiler ends at the first import that fails, in the order of the files.
#if !Client && !Server && !Development
  #error(
    """
    SwiftDataSyncHTTP needs the package trait Client: .package(…, traits: ["Client"]). \
    In a clone of OpenSwiftData, scripts/swift build has all parts.
    """)
#endif
