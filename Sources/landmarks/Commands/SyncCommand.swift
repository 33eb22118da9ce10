import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp

/// `landmarks sync`: exchanges with the server once.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Get the server's landmarks and exchange what both sides changed.",
    discussion: """
      EXAMPLES
        landmarks sync
        landmarks sync --server http://127.0.0.1:8090
      """)

  @OptionGroup var serverOptions: ServerOptions
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let store = try storeOptions.open()
    let source = try serverOptions.source(store)
    let (landmarks, report) = try await interruptible { try await source.exchange() }
    var output = StandardOutput()
    let changed = landmarks.inserted + landmarks.updated
    try output.line(
      "\(changed) landmarks new or changed, \(report.sent) changes sent, "
        + "\(report.received) received, \(try store.pendingChanges().count) waiting")
    for notice in try store.notices() { try output.line(NoticeText.line(notice, store)) }
    try output.flush()
  }
}

/// `landmarks status`: how the device stands to the server.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how old the landmarks are, and what waits for the server.")

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var serverOptions: ServerOptions
  @OptionGroup var storeOptions: StoreOptions

  func run() throws {
    let store = try storeOptions.open()
    let status = try serverOptions.source(store).status()
    var output = StandardOutput()
    if json {
      var text = JSONBytes()
      text.status(status)
      text.raw("\n")
      try output.write(text.bytes)
      return try output.flush()
    }
    let age = Freshness(lastSynced: status.lastUpdated).line(at: Date())
    try output.line("\(age) from \(status.server)")
    let pending = try store.pendingChanges()
    try output.line(pending.isEmpty ? "Nothing waits" : "\(pending.count) changes wait:")
    for change in pending { try output.line("  " + Self.line(change, store)) }
    for notice in try store.notices() { try output.line(NoticeText.line(notice, store)) }
    try output.flush()
  }

  private static func line(_ change: PendingChange, _ store: LandmarkStore) throws -> String {
    switch change {
    case .favorite(let id, let isFavorite):
      "\(isFavorite ? "favorite" : "no favorite"): \(try NoticeText.name(id, store))"
    case .reservation(let reservation, nil):
      "new reservation: \(try NoticeText.name(reservation.landmarkID, store))"
    case .reservation(let reservation, .some):
      "changed reservation: \(try NoticeText.name(reservation.landmarkID, store))"
    case .removal(let id, _): "removed reservation \(id.uuidString)"
    }
  }
}

/// Decisions in words.
enum NoticeText {
  static func line(_ notice: SyncNotice, _ store: LandmarkStore) throws -> String {
    let name = try name(notice.landmarkID, store)
    switch notice.kind {
    case .keptMyDate:
      return "Notice: \(name) was moved here and elsewhere; this device's date was kept."
    case .keptMyEdit:
      return "Notice: \(name) was changed here and removed elsewhere; it was kept."
    case .restoredTheirEdit:
      return "Notice: \(name) was removed here and changed elsewhere; it is back."
    case .refused:
      return "Notice: the server refused the reservation for \(name): \(notice.detail ?? "")"
    }
  }

  static func name(_ id: Int, _ store: LandmarkStore) throws -> String {
    PlainText.neutralised(try store.landmark(id)?.name ?? "landmark \(id)")
  }
}
