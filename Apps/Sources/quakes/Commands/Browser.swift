import Foundation
import QuakesKit
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The programs that can open an address, as the environment names them.
struct Browser: Sendable {
  /// The programs with their arguments, of which `%s` is the address, the first choice first.
  let commands: [[String]]
  private let folders: [String]

  /// - Parameter environment: The variables of the process, of which `BROWSER` and `PATH` count.
  init(_ environment: [String: String]) {
    let named = (environment["BROWSER"] ?? "").split(separator: ":").map { command in
      command.split(separator: " ").map(String.init)
    }
    #if canImport(Darwin)
      let usual = ["open"]
    #else
      let usual = ["xdg-open"]
    #endif
    commands = named.filter { !$0.isEmpty } + [usual]
    folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
  }

  /// Returns the address of an event's page, in characters that no program takes for anything else; nil when the feed
  /// gives none.
  static func address(_ event: Event) -> String? {
    guard let text = event.webAddress, let url = URL(string: text), url.host()?.isEmpty == false,
      url.user() == nil
    else { return nil }
    let address = url.absoluteString
    return address.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? address : nil
  }

  /// Opens an address by the first program that can.
  /// - Returns: Whether one of them ended without a failure.
  func open(_ address: String) async -> Bool {
    for command in commands {
      guard let program = path(command[0]) else { continue }
      if await run(program, Self.arguments(command.dropFirst(), address)) { return true }
    }
    return false
  }

  /// Returns the arguments of a command with the address, which stands at the end if nothing says where.
  static func arguments(_ words: some Sequence<String>, _ address: String) -> [String] {
    let words = Array(words)
    let hasPlace = words.contains { $0.contains("%s") }
    return words.map { $0.replacingOccurrences(of: "%s", with: address) }
      + (hasPlace ? [] : [address])
  }

  /// Returns the path of a program; nil when there is none.
  private func path(_ name: String) -> String? {
    let candidates = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
    return candidates.first { candidate in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder)
        && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: candidate)
    }
  }

  /// Runs a program with this one's terminal, which a browser for terminals needs, until its end.
  private func run(_ program: String, _ arguments: [String]) async -> Bool {
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(arguments),
        input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
        output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
        error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
      return result.terminationStatus.isSuccess
    } catch {
      return false
    }
  }
}
