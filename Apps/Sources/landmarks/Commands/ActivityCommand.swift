import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp
import WireFormats

/// `landmarks activity`: prints what happened to marks, visits and photos.
struct ActivityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity",
    abstract: "Print what happened to favorites, visits and photos, here and elsewhere.",
    discussion: """
      EXAMPLES
        landmarks activity
        landmarks activity --limit 500 --json
      """)

  @Option(help: ArgumentHelp("At most so many, the latest first.", valueName: "count"))
  var limit: Int = 50

  @Flag(help: "Print a JSON array.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard (1...10_000).contains(limit) else {
      throw ValidationError("--limit takes a number from 1 to 10000.")
    }
  }

  func run() throws {
    let store = try storeOptions.openExisting(isReadOnly: true)
    let activities = try store.activity(limit: limit)
    var output = StandardOutput()
    if json {
      try output.json { $0.list(activities) { $0.activity($1) } }
    } else {
      if activities.isEmpty { complain("Nothing yet.") }
      for activity in activities { try output.line(Self.line(activity, store)) }
    }
    try output.flush()
  }

  private static func line(_ activity: Activity, _ store: LandmarkStore) throws -> String {
    let name = try NoticeText.name(activity.landmarkID, store)
    let date = activity.date.map { ", now \(ReserveCommand.text($0))" } ?? ""
    let what =
      switch activity.kind {
      case .marked: "\(name) marked as a favorite"
      case .unmarked: "\(name) no longer a favorite"
      case .planned: "a visit to \(name) planned\(date)"
      case .moved: "a visit to \(name) moved\(date)"
      case .cancelled: "a visit to \(name) cancelled"
      case .booked: "a visit to \(name) booked again\(date)"
      case .noted: "the note of a visit to \(name) changed"
      case .removed: "a visit to \(name) removed"
      case .photoAdded: "a photo added to a visit to \(name)"
      case .captioned: "the caption of a photo of \(name) changed"
      case .photoRemoved: "a photo removed from a visit to \(name)"
      }
    let place = activity.isOwn ? "here     " : "elsewhere"
    return "\(ReserveCommand.text(activity.made))  \(place)  \(what)"
  }
}
