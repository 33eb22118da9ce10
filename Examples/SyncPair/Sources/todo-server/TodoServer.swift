import Foundation
import Hummingbird
import SwiftDataSync
import SwiftDataSyncServer
import Todos

/// `todo-server STORE [PORT]`, with the token of the user Ann in the variable `TODO_TOKEN`.
@main
struct TodoServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let token = ProcessInfo.processInfo.environment["TODO_TOKEN"] else {
      print("usage: TODO_TOKEN=… todo-server STORE [PORT]; the token has 16 characters or more")
      exit(64)
    }
    let server = try SyncServer(
      try Todo.container(arguments[1]), models: Todo.synced, rules: .owned(by: "owner"))
    let router = Router()
    SyncRoutes(server, tokens: try SyncTokens([("ann", token)])).add(to: router.group("sync"))

    let port = arguments.dropFirst(2).first.flatMap(Int.init) ?? 8090
    let application = SyncConnections().application(
      router, on: .hostname("127.0.0.1", port: port),
      onServerRunning: { channel in
        let line = "listening on http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      })
    try await application.runService()
  }
}
