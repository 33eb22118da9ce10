#if FUZZER
  import TestSupport

  /// The entry point of libFuzzer (https://llvm.org/docs/LibFuzzer.html), which has a `main` of its own. Built by
  /// `OPENSWIFTDATA_TEST_FUZZER=1 swift build --sanitize fuzzer`. `OPENSWIFTDATA_TEST_FUZZ_TARGET` names the target.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func takeFuzzerInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = CoverageTarget.shared.take([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  private enum CoverageTarget {
    nonisolated(unsafe) static let shared: any FuzzTarget = {
      do {
        return try FuzzTargets.named(
          TestEnvironment.text("OPENSWIFTDATA_TEST_FUZZ_TARGET") ?? FeedTarget.name
        ).init()
      } catch { fatalError("\(error)") }
    }()
  }
#endif
