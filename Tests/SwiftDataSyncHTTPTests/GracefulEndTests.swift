import Foundation
import Hummingbird
import Logging
import NIOCore
import ProgramTesting
import ServiceLifecycle
import SwiftData
import Testing

/// The code of the article LiveResults: a server that is stopped while a page listens.
@Suite(.timeLimit(.minutes(20))) struct GracefulEndTests {
  @MainActor private final class Sidebar {
    let notes: ResultsObserver<Note, Never>

    init(_ container: ModelContainer) throws {
      notes = try ResultsObserver(
        sortBy: [SortDescriptor(\Note.text)], modelContext: container.mainContext)
    }

    func differences() -> ResultsDifferences { notes.differences() }
  }

  @Test func aServerWithAnOpenStreamEnds() async throws {
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let sidebar = try await Sidebar(container)
    let differences = await sidebar.differences()
    let router = Router()
    router.get("notes/stream") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: ResponseBody { writer in
          for await difference in differences.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: "data: \(difference.inserted.count)\n\n"))
          }
          try await writer.finish(nil)
        })
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    // The effect of SIGTERM on a program with `runService()`.
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: [application], logger: logger))
    async let ended: Void = group.run()
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    try await WireClient("http://127.0.0.1:\(port)").connected { connection in
      try await connection.send("GET /notes/stream HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await connection.read(through: "data: 0\n\n")
      let context = ModelContext(container)
      context.insert(Note("a", owner: "ann"))
      try context.save()
      _ = try await connection.read(through: "data: 1\n\n")
      await group.triggerGracefulShutdown()
      // The stream and the connection end, so that the server can stop.
      while try await connection.receive() != nil {}
    }
    try await ended
    _ = sidebar
  }
}
