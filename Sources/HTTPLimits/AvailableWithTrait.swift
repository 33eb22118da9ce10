// The first file of the module: the compiler ends at the first import that fails, in the order of the files.
#if !Server && !Development
  #error(
    """
    HTTPLimits needs the package trait Server: .package(…, traits: ["Server"]). \
    In a clone of OpenSwiftData, scripts/swift build has all parts.
    """)
#endif
