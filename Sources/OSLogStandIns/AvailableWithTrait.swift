// The first file of the module: the compiler ends at the first import that fails, in the order of the files.
#if !Logging && !Server && !Development
  #error(
    """
    OSLogStandIns needs the package trait Logging: .package(…, traits: ["Logging"]). \
    In a clone of OpenSwiftData, scripts/swift build has all parts.
    """)
#endif
