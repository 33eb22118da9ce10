import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp

/// `landmarks note`: prints and changes the note of a reservation.
struct NoteCommand: ParsableCommand {
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
      """)

  @Argument(help: "The reservation, as `landmarks reserve` prints it.")
  var id: String

  @Argument(help: "The note; - reads it from the standard input.")
  var text: String?

  @Option(help: ArgumentHelp("A line to add to the note.", valueName: "text"))
  var add: String?

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard text == nil || add == nil else {
      throw ValidationError("Give a text for the whole note, or --add for a line more.")
    }
  }

  func run() throws {
    let id = try ReserveCommand.identifier(id)
    let store = try storeOptions.openExisting()
    var output = StandardOutput()
    if let text {
      let note = text == "-" ? try Self.input() : text
      try ReserveCommand.write(store.setNote(id, note), store, &output)
    } else {
      guard let present = try store.reservation(id) else {
        throw LandmarksError(
          .notFound, id.uuidString, reason: "there is no such reservation in the store")
      }
      if let add {
        let base = present.note
        let note = base.isEmpty ? add : "\(base)\n\(add)"
        try ReserveCommand.write(store.setNote(id, note, base: base), store, &output)
      } else if present.note.isEmpty {
        complain("No note.")
      } else {
        for line in ReserveCommand.lines(of: present.note) { try output.line(line) }
      }
    }
    try output.flush()
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
        .inputOutput, "the standard input", reason: error.localizedDescription)
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
