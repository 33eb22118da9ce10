import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp
import WireFormats

extension Landmark.Category: ExpressibleByArgument {
  /// Reads a kind in any case.
  public init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}

/// `landmarks list`: prints the landmarks of the store.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print the landmarks in the store.",
    discussion: """
      EXAMPLES
        landmarks list --category lakes
        landmarks list --state California --search half
        landmarks list --favorites --json
      """)

  @Option(help: "Only this kind.")
  var category: Landmark.Category?

  @Option(help: ArgumentHelp("Only this state.", valueName: "name"))
  var state: String?

  @Option(
    help: ArgumentHelp("Only those with this text in name, city or state.", valueName: "text"))
  var search: String?

  @Flag(help: "Only favorites.")
  var favorites = false

  @Flag(help: "Print a JSON array.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let store = try storeOptions.openExisting(isReadOnly: true)
    let query = LandmarkQuery(
      category: category, state: try state.map { try Self.state($0, store) }, text: search,
      favoritesOnly: favorites)
    let landmarks = try store.landmarks(query)
    var output = StandardOutput()
    let waiting = try await store.waitingByIdentifier(isRequired: json)
    if json {
      try output.json { $0.list(landmarks) { $0.landmark($1, waiting["\($1.id)"]) } }
    } else if landmarks.isEmpty {
      complain(try empty(store))
    } else {
      let columns = Terminal.at(FileHandle.standardOutput.fileDescriptor).columns
      for row in Self.rows(landmarks, waiting, columns) { try output.line(row) }
    }
    try output.flush()
  }

  /// Returns the name of a state as the store has it, for one in any case.
  private static func state(_ text: String, _ store: LandmarkStore) throws -> String {
    let states = Set(try store.landmarks().map(\.state)).sorted()
    // An empty store is told as such.
    if states.isEmpty || states.contains(text) { return text }
    let same = states.first {
      $0.compare(text, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame
    }
    guard let same else {
      throw LandmarksError(
        .invalidArgument, "--state \(PlainText.neutralised(text))",
        reason: "there are \(PlainText.neutralised(states.joined(separator: ", ")))")
    }
    return same
  }

  private func empty(_ store: LandmarkStore) throws -> String {
    if try store.landmarks().isEmpty { return "The store is empty; `landmarks sync` fills it." }
    return favorites
      ? "No favorites. Landmarks you favorite will appear here." : "No landmark matches."
  }

  /// Returns the lines of landmarks in columns; the server's text is made safe before it is printed.
  /// - Parameter waiting: The changes that the server doesn't have yet, by identifier.
  static func rows(
    _ landmarks: [Landmark], _ waiting: [String: WaitingChange], _ columns: Int
  ) -> [String] {
    let cells = landmarks.map { landmark in
      [
        landmark.isFavorite ? "♥" : " ", String(landmark.id), landmark.name,
        landmark.category.rawValue, "\(landmark.city), \(landmark.state)",
      ].map(PlainText.neutralised)
    }
    let widths = (0..<4).map { column in
      min(columns, cells.map { PlainText.width($0[column]) }.max() ?? 0)
    }
    return zip(landmarks, cells).map { landmark, row in
      let padded = zip(row, widths).map { TextColumn.left($0, $1) } + row.suffix(1)
      let text = "\(padded[0]) " + padded.dropFirst().joined(separator: "  ")
      // The remark stays where the line is cut.
      let mark = NoticeText.mark(waiting["\(landmark.id)"])
      let room = columns - PlainText.width(mark)
      return room > 20
        ? PlainText.fitted(text, columns: room) + mark
        : PlainText.fitted(text + mark, columns: columns)
    }
  }
}
