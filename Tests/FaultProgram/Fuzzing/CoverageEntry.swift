#if FUZZER
  import Foundation
  import TestSupport

  /// libFuzzer as a library (https://llvm.org/docs/LibFuzzer.html), with its own options. The variable
  /// `OPENSWIFTDATA_TEST_FUZZ_TARGET` names the target, whose valid inputs are added to the folder that is the last
  /// argument.
  @main
  enum CoverageProgram {
    static func main() throws {
      if let folder = CommandLine.arguments.dropFirst().last, !folder.hasPrefix("-") {
        for (number, sample) in CoverageTarget.shared.samples.enumerated() {
          try Data(sample).write(
            to: URL(fileURLWithPath: folder).appending(path: "sample-\(number)"))
        }
      }
      var count = CommandLine.argc
      var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
      exit(
        runFuzzer(&count, &arguments) { bytes, count in
          _ = CoverageTarget.shared.take([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
          return 0
        })
    }
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

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
