import Foundation
import ProcessTesting
import ProgramTesting

/// A server with a certificate that nobody knows, made by the program `openssl`.
final class TLSServer: Sendable {
  struct Failure: Error {}

  /// Whether the program can be found.
  static let canRun = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }

  private static let script = """
    cd "$1" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
      -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key -out certificate 2>log &&
      exec openssl s_server -accept 127.0.0.1:0 -key key -cert certificate -www
    """

  let address: String
  private let process: ChildProcess
  /// Kept open: a program that writes to a pipe without a reader is ended.
  private let output: Pipe

  init(in folder: URL) async throws {
    let pipe = Pipe()
    let errors = folder.appending(path: "errors")
    try Data().write(to: errors)
    process = try await ChildProcess(
      URL(filePath: "/bin/sh"), ["-c", Self.script, "sh", folder.path],
      output: pipe.fileHandleForWriting, errors: FileHandle(forWritingTo: errors))
    try pipe.fileHandleForWriting.close()
    output = pipe
    guard let line = await pipe.line(after: "ACCEPT ") else { throw Failure() }
    address = "https://" + line
  }
}
