import Foundation
import SwiftData
import Synchronization

@testable import SwiftDataSQLite

/// A command for a process that has a store open.
enum PeerCommand: Codable, Sendable {
  case open(folder: String, isLinked: Bool)
  /// Writes rows to the store and its log.
  case fill
  case begin(FileWriter, name: String)
  case happen(FileEvent)
  /// Ends the write that was started.
  case end
  case read
  case close
}

enum PeerAnswer: Codable, Equatable, Sendable {
  case done
  /// A typed error, with its description.
  case refused(String)
  /// An unexpected error.
  case failed(String)
}

extension FileWriter: Codable {}
extension FileEvent: Codable {}

/// A process that has a store open.
@MainActor
protocol StorePeer {
  func ask(_ command: PeerCommand) async throws -> PeerAnswer
}

/// This process.
@MainActor
final class OwnPeer: StorePeer {
  private var session: PeerSession?

  func ask(_ command: PeerCommand) async -> PeerAnswer {
    do {
      switch command {
      case .open(let folder, let isLinked):
        session = try PeerSession(ParcelPlace(of: URL(filePath: folder), isLinked: isLinked))
      case .close: session = nil
      default: try await session?.perform(command)
      }
      return .done
    } catch let error as StoreError where !error.explanation.isEmpty && !error.path.isEmpty {
      return .refused("\(error)")
    } catch {
      return .failed("\(type(of: error)): \(error)")
    }
  }
}

/// Another process, connected by two named pipes.
///
/// Both sides open the pipes for reading and writing. So neither waits for the other one to open them, and the test
/// itself can report the end of the process in its place. The test waits on the main actor: Swift Testing waits for an
/// exit test on one of the threads that tasks share, and there may be no other.
@MainActor
final class OtherPeer: StorePeer {
  struct Ended: Error {}

  private let commands: PeerPipe
  private let answers: PeerPipe
  /// The folder of the process's pipes.
  let path: String

  /// - Parameter folder: The folder for the pipes.
  init(_ folder: URL) throws {
    path = folder.path
    commands = try PeerPipe(path + "/commands", isNew: true)
    answers = try PeerPipe(path + "/answers", isNew: true)
  }

  /// - Throws: ``Ended`` when the process has ended.
  func ask(_ command: PeerCommand) async throws -> PeerAnswer {
    try commands.send(JSONEncoder().encode(command))
    guard let answer = await answers.next() else { throw Ended() }
    return try JSONDecoder().decode(PeerAnswer.self, from: answer)
  }

  /// Tells the process to end.
  func dismiss() throws { try commands.send(Data()) }

  /// Reports that the process has ended, to whatever command it had.
  func end() throws { try answers.send(Data()) }

  /// Executes, in that process, the commands that arrive at `path`.
  static func serve(_ path: String) async throws {
    let commands = try PeerPipe(path + "/commands")
    let answers = try PeerPipe(path + "/answers")
    let peer = OwnPeer()
    while let line = await commands.next() {
      let answer = await peer.ask(try JSONDecoder().decode(PeerCommand.self, from: line))
      try answers.send(JSONEncoder().encode(answer))
    }
  }
}

/// A store that a process has open.
@MainActor
private final class PeerSession {
  struct Wrong: Error { let description: String }

  private let place: ParcelPlace
  private let container: ModelContainer
  private var begun: FileWriter.Begun?

  init(_ place: ParcelPlace) throws {
    self.place = place
    container = try place.container()
  }

  func perform(_ command: PeerCommand) async throws {
    switch command {
    case .open, .close: break
    case .fill: try place.fill(container)
    case .begin(let writer, let name): begun = try await writer.begin(container, name: name)
    case .happen(let event): try event.happen(to: place)
    case .end:
      do { try await begun?.end() } catch {
        if let isPending = begun?.isPending, await !isPending() {
          throw Wrong(description: "nothing is pending after \(error)")
        }
        throw error
      }
    case .read:
      let context = ModelContext(container)
      _ = try context.fetch(FetchDescriptor<Parcel>()).map(\.note.count)
      _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }
}

/// A named pipe with messages, one per line; an empty message is the last.
private final class PeerPipe: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let descriptor: Int32

  init(_ path: String, isNew: Bool = false) throws {
    if isNew, mkfifo(path, 0o600) != 0 {
      throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
    }
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  func send(_ message: Data) throws {
    let line = message + [UInt8(ascii: "\n")]
    let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == line.count else { throw Failure(description: "a pipe takes no message") }
  }

  /// Returns the next message; nil for the last one. Waits on a separate thread, because tasks share only a few.
  @MainActor
  func next() async -> Data? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var line = Data()
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
          line.append(byte)
        }
        continuation.resume(returning: line.isEmpty ? nil : line)
      }
    }
  }
}
