import Foundation
import Testing

@testable import ProgramTesting
@testable import TestSupport

/// The page itself: its code is this target's, and its commands print what it shows.
@Suite("The page about an offline-first app", .timeLimit(.minutes(20)))
struct OfflineFirstPageTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// Returns the page's blocks of a language.
  private func blocks(_ language: String) throws -> [String] {
    let page = try String(
      contentsOf: Self.folder.appending(path: "../../../docs/offline-first.md"), encoding: .utf8)
    var blocks: [String] = []
    for part in page.components(separatedBy: "\n```\(language)\n").dropFirst() {
      blocks.append(part.components(separatedBy: "\n```\n")[0])
    }
    return blocks
  }

  @Test("every block of Swift on the page is a part of the tested code")
  func code() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let sources = try names.filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOf: Self.folder.appending(path: $0), encoding: .utf8) }
    let blocks = try blocks("swift")
    #expect(blocks.count > 10)
    for block in blocks {
      let isTested = sources.contains { $0.contains(block) }
      #expect(isTested, "no source of this target has:\n\(block)")
    }
  }

  @Test("the commands on the page print what the page shows; … stands for any text")
  func commands() async throws {
    let folder = try TemporaryFolder("page")
    let place = [
      "LANDMARKS_STORE": folder.file("a.store").path, "LANDMARKS_TOKEN": "page-0123456789abcdef",
    ]
    var program = try Program("landmarks", folder: folder.url, environment: place)
    var server: RunningProgram?
    var runs = 0
    for (command, shown) in Self.commands(try blocks("console")) {
      switch command {
      case "landmarks serve &":
        server = try await program.serve([
          "serve", "--port", "0", "--store", folder.file("server.store").path,
        ])
        let address = server?.address ?? ""
        program = try Program(
          "landmarks", folder: folder.url,
          environment: place.merging(["LANDMARKS_SERVER": address]) { $1 })
      case "kill %1": try await server?.stop()
      default:
        let outcome = try await program.shell("{ \(command); } 2>&1")
        // On a slow machine the last exchange isn't just now any more.
        let output = outcome.output.replacing(/Updated \d+ min ago/, with: "Updated just now")
        #expect(Self.matches(output, shown), "\(command) printed:\n\(outcome.output)")
      }
      runs += 1
    }
    #expect(runs > 10)
  }

  /// Returns the commands of blocks, each with the output below it.
  private static func commands(_ blocks: [String]) -> [(command: String, output: String)] {
    var commands: [(command: String, output: String)] = []
    for line in blocks.flatMap({ $0.components(separatedBy: "\n") }) {
      if line.hasPrefix("$ ") {
        commands.append((String(line.dropFirst(2)), ""))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output += line + "\n"
      }
    }
    return commands
  }

  /// Returns whether a text is as shown.
  private static func matches(_ text: String, _ shown: String) -> Bool {
    var rest = text[...]
    let parts = shown.components(separatedBy: "…")
    guard rest.hasPrefix(parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return parts.count == 1 ? rest.isEmpty : rest.hasSuffix(parts[parts.count - 1])
  }
}
