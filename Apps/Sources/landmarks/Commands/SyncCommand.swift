import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp
import WireFormats

/// `landmarks sync`: exchanges with the server once.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Get the server's landmarks and exchange what both sides changed.",
    discussion: """
      EXAMPLES
        landmarks sync
        landmarks sync --server http://127.0.0.1:8090
        landmarks sync --json | jq '.waiting | length'
      """)

  @Flag(help: "Print the counts, what waits and the notices as a JSON object.")
  var json = false

  @OptionGroup var serverOptions: ServerOptions
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let source = try await interruptible { try await serverOptions.source(making: storeOptions) }
    let store = source.store
    let (landmarks, report) = try await interruptible { try await source.exchange() }
    let waiting = try await source.sync.waiting()
    let notices = try await source.sync.notices(waiting)
    var output = StandardOutput()
    if json {
      try output.json { json in
        for (name, count) in [
          ("inserted", landmarks.inserted), ("updated", landmarks.updated), ("sent", report.sent),
          ("received", report.received), ("restored", report.restored),
        ] {
          json.raw(name == "inserted" ? "{" : ",")
          json.string(name)
          json.raw(":")
          json.integer(count)
        }
        json.raw(#","waiting":"#)
        json.list(waiting) { $0.waitingChange($1) }
        json.raw(#","notices":"#)
        json.list(notices) { $0.notice($1) }
        json.raw("}")
      }
      return try output.flush()
    }
    let changed = landmarks.inserted + landmarks.updated
    try output.line(
      "\(changed) landmark\(changed == 1 ? "" : "s") new or changed, "
        + "\(report.sent) change\(report.sent == 1 ? "" : "s") sent, "
        + "\(report.received) received, \(waiting.count) waiting")
    if report.restored > 0 {
      try output.line(
        "The server went on with an older copy of its data, as after a restored backup; what it"
          + " had lost was sent again.")
    }
    for notice in notices {
      try output.line(NoticeText.line(notice, store))
      let visit = notice.reservationID?.uuidString ?? ""
      if let line = NoticeText.choices(notice.choices, of: visit) { try output.line("  " + line) }
    }
    try output.flush()
  }
}

/// `landmarks status`: shows the status of the exchange between device and server.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how old the landmarks are, and what waits for the server.")

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var serverOptions: ServerOptions
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let store = try storeOptions.openExisting(isReadOnly: true)
    let source = try serverOptions.source(store)
    let waiting = try await source.sync.waiting()
    let status = try source.status(waiting)
    var output = StandardOutput()
    if json {
      try output.json { $0.status(status, waiting) }
      return try output.flush()
    }
    let age = Freshness(lastSynced: status.lastUpdated).line(at: Date())
    try output.line("\(age); server \(status.server)")
    let user = PlainText.neutralised(status.user ?? "")
    switch status.signIn {
    case .token: break
    case .signedIn, .ended: try output.line("Signed in as \(user)")
    case .signedOut:
      try output.line(user.isEmpty ? "Signed out" : "Signed out; the data are \(user)'s")
    }
    switch waiting.count {
    case 0: try output.line("Nothing waits")
    case 1: try output.line("1 change waits:")
    default: try output.line("\(waiting.count) changes wait:")
    }
    for change in waiting {
      try output.line("  " + Self.line(change, store))
      if let line = NoticeText.choices(change.choices, of: change.identifier) {
        try output.line("    " + line)
      }
    }
    for notice in try await source.sync.notices(waiting) where notice.kind != .refused {
      try output.line(NoticeText.line(notice, store))
    }
    try output.flush()
  }

  private static func line(_ change: WaitingChange, _ store: LandmarkStore) throws -> String {
    let subject =
      switch change.subject {
      case .favorite(let id, let isFavorite):
        "\(isFavorite ? "favorite" : "no favorite"): \(try NoticeText.name(id, store))"
      case .reservation(let id, let landmark):
        "reservation: \(try NoticeText.name(landmark, store))"
          + (try store.reservation(id)?.note.isEmpty ?? true ? "" : ", with a note")
      case .removal(let id): "removed reservation \(id.uuidString)"
      case .photo(let id, let reservation):
        "photo \(id.uuidString): \(try NoticeText.name(ofVisit: reservation, store))"
      case .photoRemoval(let id): "removed photo \(id.uuidString)"
      }
    return subject + ": " + reason(change.reason)
  }

  private static func reason(_ reason: WaitingChange.Reason) -> String {
    switch reason {
    case .waits: "waits for the next exchange"
    case .underWay: "in an exchange that the server hasn't answered yet"
    case .refused(let reason): "refused by the server: \(PlainText.neutralised(reason))"
    case .troubled(let reason): "set aside, \(PlainText.neutralised(reason))"
    }
  }
}

/// Describes decisions in words.
enum NoticeText {
  static func line(_ notice: SyncNotice, _ store: LandmarkStore) throws -> String {
    let name = try name(notice.landmarkID, store)
    let visit = "the visit to \(name) on \(text(notice.mine))"
    switch notice.kind {
    case .keptMyDate:
      return "Notice: \(name) was moved here and elsewhere; this device's date was kept."
    case .keptMyEdit:
      return "Notice: \(name) was changed here and removed elsewhere; it was kept."
    case .restoredTheirEdit:
      return "Notice: \(name) was removed here and changed elsewhere; it is back."
    case .mergedNote:
      return "Notice: the note of a visit to \(name) was changed here and elsewhere; it has the"
        + " lines of both."
    case .movedElsewhere: return "Notice: \(visit) was moved elsewhere to \(text(notice.theirs))."
    case .cancelledElsewhere: return "Notice: \(visit) was cancelled elsewhere."
    case .bookedElsewhere:
      return "Notice: \(visit), cancelled here, was booked again elsewhere for"
        + " \(text(notice.theirs))."
    case .removedElsewhere:
      let note = ReserveCommand.lines(of: notice.note ?? "").filter { !$0.isEmpty }
      return "Notice: \(visit) was removed elsewhere."
        + (note.isEmpty ? "" : " Its note was: \(note.joined(separator: " / "))")
    case .keptMyCaption:
      return "Notice: the caption of \(try photo(notice, store)) was changed here and elsewhere;"
        + " this device's was kept. The other one was: \(caption(notice.otherCaption))"
    case .captionedElsewhere:
      return "Notice: the caption of \(try photo(notice, store)) was changed elsewhere to: "
        + "\(caption(notice.otherCaption)). It was: \(caption(notice.caption))"
    case .refused:
      return "Notice: the server refused the \(try refusedSubject(notice, name, store)): "
        + PlainText.neutralised(notice.detail ?? "")
    }
  }

  /// Returns a remark behind an object whose change the server doesn't have; empty for one that it has.
  static func mark(_ change: WaitingChange?) -> String {
    switch change?.reason {
    case nil: ""
    case .waits, .underWay: "  (not sent yet)"
    case .refused: "  (refused: `landmarks status` says why)"
    case .troubled: "  (set aside: `landmarks status` says why)"
    }
  }

  /// Returns the dates that the server would take, and how one is chosen; nil without any.
  static func choices(_ dates: [Date], of visit: String) -> String? {
    guard let first = dates.first else { return nil }
    return "Free: \(dates.map(text).joined(separator: ", ")) "
      + "(landmarks reserve --change \(visit) --on \(text(first)))"
  }

  private static func refusedSubject(
    _ notice: SyncNotice, _ name: String, _ store: LandmarkStore
  ) throws -> String {
    guard let photo = notice.photoID else {
      return notice.reservationID == nil ? "mark of \(name)" : "reservation for \(name)"
    }
    guard notice.reservationID != nil else { return "removal of photo \(photo.uuidString)" }
    return try Self.photo(notice, store)
  }

  /// Returns the photo of a notice with the name of its visit's landmark.
  private static func photo(_ notice: SyncNotice, _ store: LandmarkStore) throws -> String {
    let visit = try notice.reservationID.map { try name(ofVisit: $0, store) } ?? "a removed visit"
    return "photo \(notice.photoID?.uuidString ?? "") of \(visit)"
  }

  private static func caption(_ text: String?) -> String {
    text.map { $0.isEmpty ? "none" : PlainText.neutralised($0) } ?? "unknown"
  }

  /// Returns the name of a visit's landmark.
  static func name(ofVisit id: UUID, _ store: LandmarkStore) throws -> String {
    guard let visit = try store.reservation(id) else { return "a removed visit" }
    return try name(visit.landmarkID, store)
  }

  private static func text(_ date: Date?) -> String {
    date.map(ReserveCommand.text) ?? "an unknown date"
  }

  static func name(_ id: Int?, _ store: LandmarkStore) throws -> String {
    guard let id else { return "a landmark" }
    return PlainText.neutralised(try store.landmark(id)?.name ?? "landmark \(id)")
  }
}
