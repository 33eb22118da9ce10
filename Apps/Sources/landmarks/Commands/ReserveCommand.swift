import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp
import WireFormats

/// `landmarks reserve`: makes, changes, cancels and lists reservations.
struct ReserveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reserve",
    abstract: "Make, change, cancel and list reservations.",
    discussion: """
      Done at once and without the server, which hears of it at the next exchange. Without arguments \
      it prints the reservations. Times are local; a day alone means nine in the morning.

      EXAMPLES
        landmarks reserve
        landmarks reserve 1002 --on 2027-06-01T10:00
        landmarks reserve 1002 --on 2027-06-01T10:00 --note 'Bring water'
        landmarks reserve --change 5F0C… --on 2027-06-02
        landmarks reserve --cancel 5F0C…
        landmarks reserve --remove 5F0C…
        landmarks reserve 1002 --on 2027-06-01 --json | jq -r .id
      """)

  @Argument(help: "The landmark's number, for a new reservation.")
  var number: Int?

  @Option(help: ArgumentHelp("When, in local time, such as 2027-06-01T10:00.", valueName: "time"))
  var on: String?

  @Option(
    help: ArgumentHelp(
      "A note for a new reservation; `landmarks note` changes it.", valueName: "text"))
  var note: String?

  @Option(help: ArgumentHelp("The reservation to move to another time.", valueName: "id"))
  var change: String?

  @Option(help: ArgumentHelp("The reservation to cancel.", valueName: "id"))
  var cancel: String?

  @Option(help: ArgumentHelp("The reservation to remove from the list.", valueName: "id"))
  var remove: String?

  @Flag(
    help: "Print the reservations as a JSON array; the one made, changed or removed as an object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    let actions = [number.map(String.init), change, cancel, remove].compactMap { $0 }
    guard actions.count <= 1 else {
      throw ValidationError("Use one of a number, --change, --cancel and --remove at a time.")
    }
    guard (on != nil) == (number != nil || change != nil) else {
      throw ValidationError("--on belongs to a new or changed reservation, and is needed for it.")
    }
    guard note == nil || number != nil else {
      throw ValidationError("--note belongs to a new reservation; `landmarks note` changes one.")
    }
  }

  func run() async throws {
    let isReadOnly = number == nil && change == nil && cancel == nil && remove == nil
    let store = try storeOptions.openExisting(isReadOnly: isReadOnly)
    var output = StandardOutput()
    if let remove {
      let id = try Self.reservation(remove, store)
      let removed = try store.reservation(id)
      try store.remove(id)
      if json {
        try await write(removed, store, &output)
      } else {
        guard let removed else { throw ObjectName.reservation.missing(id) }
        let name = try NoticeText.name(removed.landmarkID, store)
        try output.line("removed: \(id.uuidString)  \(Self.text(removed.date))  \(name)")
      }
    } else if let changed = try change(store) {
      if json {
        try await write(changed, store, &output)
      } else {
        let waiting = try await store.waitingByIdentifier(isRequired: false)
        try Self.write(changed, waiting, store, &output)
      }
    } else {
      try await writeAll(store, &output)
    }
    try output.flush()
  }

  /// Makes or changes a reservation, if that was asked for.
  private func change(_ store: LandmarkStore) throws -> Reservation? {
    if let number, let on {
      return try store.reserve(number, on: Self.moment(on), note: note ?? "")
    }
    if let change, let on {
      return try store.change(Self.reservation(change, store), to: Self.moment(on))
    }
    return try cancel.map { try store.cancel(Self.reservation($0, store)) }
  }

  private func writeAll(_ store: LandmarkStore, _ output: inout StandardOutput) async throws {
    let reservations = try store.reservations()
    let waiting = try await store.waitingByIdentifier(isRequired: json)
    if json {
      return try output.json {
        $0.list(reservations) { $0.reservation($1, waiting[$1.id.uuidString]) }
      }
    }
    if reservations.isEmpty { complain("No reservations.") }
    for reservation in reservations { try Self.write(reservation, waiting, store, &output) }
  }

  /// Writes a reservation as JSON; `null` for one that wasn't there.
  private func write(
    _ reservation: Reservation?, _ store: LandmarkStore, _ output: inout StandardOutput
  ) async throws {
    let waiting = try await store.waitingByIdentifier()
    try output.json { json in
      guard let reservation else { return json.raw("null") }
      json.reservation(reservation, waiting[reservation.id.uuidString])
    }
  }

  /// Writes a reservation, with its note in lines of their own.
  /// - Parameter waiting: The changes that the server doesn't have yet, by identifier.
  static func write(
    _ reservation: Reservation, _ waiting: [String: WaitingChange], _ store: LandmarkStore,
    _ output: inout StandardOutput
  ) throws {
    let name =
      try store.landmark(reservation.landmarkID)?.name ?? "landmark \(reservation.landmarkID)"
    try output.line(
      "\(reservation.id.uuidString)  \(text(reservation.date))  "
        + "\(reservation.status.rawValue)  \(PlainText.neutralised(name))"
        + NoticeText.mark(waiting[reservation.id.uuidString]))
    guard !reservation.note.isEmpty else { return }
    for line in lines(of: reservation.note) { try output.line(line.isEmpty ? "" : "    \(line)") }
  }

  /// Returns the lines of a note as they are printed.
  static func lines(of note: String) -> [String] {
    note.split(separator: "\n", omittingEmptySubsequences: false).map {
      PlainText.neutralised($0.replacingOccurrences(of: "\t", with: "    "))
    }
  }

  /// Returns the reservation that a user names, by its identifier or the beginning of it.
  static func reservation(_ text: String, _ store: LandmarkStore) throws -> UUID {
    try ObjectName.reservation.identifier(text) { try store.reservations().map(\.id) }
  }

  static func moment(_ text: String) throws -> Date {
    var full = text
    // "2027-06-01 10:00:00" is told in this form by many programs.
    if let match = text.wholeMatch(of: /([0-9-]{10})[T ]([0-9:]{5})(?::00)?/) {
      full = "\(match.1)T\(match.2)"
    } else if !text.contains("T") {
      full += "T09:00"
    }
    // The formatter accepts further text after the date, so the input has to match exactly.
    guard full.utf8.count == 16, let date = format.date(from: full),
      format.string(from: date) == full
    else {
      throw LandmarksError(
        .invalidArgument, PlainText.neutralised(text),
        reason: "use a local time such as 2027-06-01T10:00, without a zone")
    }
    return date
  }

  /// Returns a local time such as `2027-06-01T10:00`.
  static func text(_ date: Date) -> String { format.string(from: date) }

  private static var format: DateFormatter {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .current
    format.dateFormat = "yyyy-MM-dd'T'HH:mm"
    return format
  }
}
