import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp

/// `landmarks note`: prints and changes the note of a reservation.
struct NoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note",
    abstract: "Print or change the note of a reservation.",
    discussion: """
      Done at once and without the server, which hears of it at the next exchange. A note that was \
      changed elsewhere too is merged then: nothing that either side wrote is lost.

      EXAMPLES
        landmarks note 5F0C…
        landmarks note 5F0C… 'Bring water'
        landmarks note 5F0C… --add 'Two tickets, 9 euros'
        landmarks note 5F0C… - < note.txt
        landmarks note 5F0C… ''                   takes it away
        landmarks note 5F0C… --json | jq -r .note
      """)

  @Argument(help: "The reservation, as `landmarks reserve` prints it, or its first digits.")
  var id: String

  @Argument(help: "The note; - reads it from the standard input.")
  var text: String?

  @Option(help: ArgumentHelp("A line to add to the note.", valueName: "text"))
  var add: String?

  @Flag(help: "Print the reservation with its note as a JSON object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard text == nil || add == nil else {
      throw ValidationError("Give a text for the whole note, or --add for a line more.")
    }
  }

  func run() async throws {
    let store = try storeOptions.openExisting(isReadOnly: text == nil && add == nil)
    let id = try ReserveCommand.reservation(id, store)
    var output = StandardOutput()
    let (visit, isChanged) = try change(id, store)
    let waiting = try await store.waitingByIdentifier(isRequired: json)
    if json {
      try output.json { $0.reservation(visit, waiting[visit.id.uuidString]) }
    } else if isChanged {
      try ReserveCommand.write(visit, waiting, store, &output)
    } else if visit.note.isEmpty {
      complain("No note.")
    } else {
      for line in ReserveCommand.lines(of: visit.note) { try output.line(line) }
    }
    try output.flush()
  }

  /// Makes the change, if one was asked for, and returns the reservation.
  private func change(
    _ id: UUID, _ store: LandmarkStore
  ) throws -> (visit: Reservation, isChanged: Bool) {
    if let text {
      return (try store.setNote(id, text == "-" ? Self.input() : text), true)
    }
    guard let present = try store.reservation(id) else {
      throw ObjectName.reservation.missing(id)
    }
    guard let add else { return (present, false) }
    let base = present.note
    let note = base.isEmpty ? add : "\(base)\n\(add)"
    return (try store.setNote(id, note, base: base), true)
  }

  /// Reads the standard input, as far as a note can be long.
  private static func input() throws -> String {
    // A character of UTF-16 has at most three bytes of UTF-8.
    let limit = VisitNote.maximumMergedLength * 3
    var bytes = Data()
    do {
      while bytes.count <= limit,
        let part = try FileHandle.standardInput.read(upToCount: limit + 1 - bytes.count),
        !part.isEmpty
      {
        bytes += part
      }
    } catch {
      throw LandmarksError(
        .inputOutput, "the standard input", reason: FileFailure.reason(error))
    }
    guard bytes.count <= limit else {
      throw LandmarksError(
        .invalidArgument, "note", reason: "it is longer than a note can be")
    }
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw LandmarksError(.invalidArgument, "note", reason: "it isn't UTF-8")
    }
    return text
  }
}
