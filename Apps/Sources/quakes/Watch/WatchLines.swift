import Foundation
import HTTPContent
import QuakesKit
import Synchronization
import WireFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes the changes of events, line by line, for pipes and files.
final class WatchLines: Sendable {
  /// Signals that the requested number of lines was written.
  private struct Done: Error {}

  private struct Writing {
    var output: StandardOutput
    var left: Int
  }

  /// The width of the word for the kind of change, in columns.
  static let wordWidth = 9

  private let table: EventTable?
  private let query: @Sendable () throws -> EventQuery
  private let runner: EventRunner?
  private let descriptor: Int32
  private let writing: Mutex<Writing>

  /// - Parameters:
  ///   - table: The format of a line; nil for JSON.
  ///   - query: The filter for the events.
  ///   - limit: The maximum number of lines to write.
  ///   - runner: Gets the events that are written.
  ///   - descriptor: The file descriptor of the output.
  init(
    table: EventTable?, query: @escaping @Sendable () throws -> EventQuery, limit: Int?,
    runner: EventRunner? = nil, descriptor: Int32 = STDOUT_FILENO
  ) {
    self.table = table
    self.query = query
    self.runner = runner
    self.descriptor = descriptor
    writing = Mutex(
      Writing(output: StandardOutput(descriptor: descriptor), left: limit ?? .max))
  }

  /// Writes changes, until enough lines are written or the task is cancelled.
  /// - Throws: `StandardOutput.Closed` when the reader has closed the pipe, `LocalAppError`, and
  ///   `QuakesError` when the store cannot be read.
  func run(_ follower: StoreFollower) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await follower.run(onFirstLoad: { try self.write($0, isFirstLoad: true) }) {
            try self.write($0)
          }
        }
        group.addTask { try await self.watchReader() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch is Done {
      return
    }
  }

  /// Writes changes, the oldest event first.
  /// - Parameter isFirstLoad: Whether they are the first events of a store that had none.
  func write(_ changes: EventChanges, isFirstLoad: Bool = false) throws {
    let runner = isFirstLoad && runner?.takesFirstLoad == false ? nil : runner
    var everyEvent = try query()
    everyEvent.includesWithdrawn = true
    try writing.withLock { [everyEvent] writing in
      try runner?.note(changes)
      if changes.reload { try writeUnknown(&writing) }
      for (word, events) in [("new", changes.inserted), ("changed", changes.updated)] {
        for event in events.sorted(by: { $0.time < $1.time }) where everyEvent.includes(event) {
          runner?.start(event)
          // A withdrawn event is reported too: an earlier line may have reported the event.
          try line(event.withdrawn == nil ? word : "gone", event, &writing)
        }
      }
      for id in changes.deleted { try deletion(id, &writing) }
      try writing.output.flush()
    }
  }

  private func line(_ word: String, _ event: Event, _ writing: inout Writing) throws {
    if let table {
      return try put(TextColumn.left(word, Self.wordWidth) + table.row(event), &writing)
    }
    var json = JSONWriter()
    json.raw(#"{"change":"#)
    json.string(word)
    json.raw(#","event":"#)
    event.write(to: &json)
    json.raw("}")
    try put(String(decoding: json.bytes, as: UTF8.self), &writing)
  }

  private func deletion(_ id: String, _ writing: inout Writing) throws {
    if table != nil {
      return try put(
        TextColumn.left("deleted", Self.wordWidth) + PlainText.neutralised(id), &writing)
    }
    var json = JSONWriter()
    json.raw(#"{"change":"deleted","id":"#)
    json.string(id)
    json.raw("}")
    try put(String(decoding: json.bytes, as: UTF8.self), &writing)
  }

  private func writeUnknown(_ writing: inout Writing) throws {
    guard table == nil else {
      return complain("The store has changed, and nobody knows how; `quakes list` shows it.")
    }
    try put(#"{"change":"unknown"}"#, &writing)
  }

  private func put(_ text: String, _ writing: inout Writing) throws {
    try writing.output.line(text)
    writing.left -= 1
    guard writing.left > 0 else {
      try writing.output.flush()
      throw Done()
    }
  }

  /// Polls whether the reader has closed the pipe. Otherwise only writing would detect it, and
  /// without anything to write the program would never end.
  private func watchReader() async throws {
    while await LiveSource.pause(.seconds(1)) {
      var state = pollfd(fd: descriptor, events: 0, revents: 0)
      if poll(&state, 1, 0) > 0, state.revents & Int16(POLLERR) != 0 {
        throw StandardOutput.Closed()
      }
    }
  }
}
