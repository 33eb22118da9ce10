import Foundation
import Hummingbird
import Observation
import ServiceLifecycle
import SwiftData

/// A note that everybody reads and writes.
@Model
final class Note {
  var text: String
  var written: Date

  init(_ text: String) {
    self.text = text
    written = .now
  }
}

/// The newest notes, kept up to date on the main actor by the commits of all contexts and programs.
@MainActor
final class Board {
  private let notes: ResultsObserver<Note, Never>

  init(_ container: ModelContainer) throws {
    notes = try ResultsObserver(
      sortBy: [SortDescriptor(\.written, order: .reverse)], modelContext: container.mainContext)
  }

  /// The newest texts, now and after each commit that changes them.
  func texts() -> Observations<[String], Never> {
    Observations { self.notes.results.prefix(20).map(\.text) }
  }
}

func router(_ container: ModelContainer, _ board: Board) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("notes") { _, _ in
    let context = ModelContext(container)
    let byDate = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.written, order: .reverse)])
    return try context.fetch(byDate).map(\.text)
  }
  router.post("notes") { request, _ -> HTTPResponse.Status in
    let body = try await request.body.collect(upTo: 10_000)
    let context = ModelContext(container)
    context.insert(Note(String(buffer: body)))
    try context.save()
    return .created
  }
  router.get("notes/stream") { _, _ in
    let texts = await board.texts()
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        // A shutdown waits for open streams, so this one ends with it.
        for await newest in texts.cancelOnGracefulShutdown() {
          let json = String(decoding: try JSONEncoder().encode(newest), as: UTF8.self)
          try await writer.write(ByteBuffer(string: "data: \(json)\n\n"))
        }
        try await writer.finish(nil)
      })
  }
  return router
}

/// `live-server [STORE [PORT]]`, until SIGTERM or Ctrl-C.
@main
struct LiveServer {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let file = URL(filePath: arguments.first ?? "notes.store")
    let port = arguments.dropFirst().first.flatMap(Int.init) ?? 8080
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(url: file))
    let application = Application(
      router: router(container, try Board(container)),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        let line = "listening on http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      })
    try await application.runService()
  }
}
