import Foundation
import ProcessTesting
import TestSupport

/// A run of the program that writes stores on failing disks.
struct FaultProgramRun {
  /// The exit code: 0 if no failure was found, otherwise 1.
  let code: Int32
  let output: String

  init(_ arguments: String...) async throws { try await self.init(arguments) }

  init(_ arguments: [String]) async throws {
    let folder = try TemporaryFolder("fault-tests")
    let file = try folder.file("output", "")
    let handle = try FileHandle(forWritingTo: file)
    let program = try await ChildProcess(
      try ChildProcess.program("fault-program"), arguments + ["--folder", folder.url.path],
      output: handle, errors: handle)
    code = try await program.code()
    try handle.close()
    output = try String(contentsOf: file, encoding: .utf8)
  }

  /// Returns the number before a word in the summary.
  func count(_ word: String) -> Int? {
    let words = output.split { $0.isWhitespace || ",:;".contains($0) }
    return words.firstIndex(of: word[...]).flatMap { $0 > 0 ? Int(words[$0 - 1]) : nil }
  }
}
