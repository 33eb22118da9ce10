import Foundation
import SyncServing

/// Serves the memos of a file until it is killed. Its users are user-1 to user-COUNT, ann and bob.
///
///     sync-service FILE PORT COUNT
///
/// Prints `listening on PORT`.
@main
enum SyncService {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 4, let port = Int(words[2]), let count = Int(words[3]), count >= 0 else {
      print("usage: sync-service FILE PORT COUNT")
      exit(2)
    }
    let users = (0..<count).map { "user-\($0 + 1)" } + ["ann", "bob"]
    let server = try MemoServer(Memo.container(URL(filePath: words[1])), users: users)
    try await server.run(port: port) { port in
      print("listening on \(port)")
      fflush(nil)
    }
  }
}
