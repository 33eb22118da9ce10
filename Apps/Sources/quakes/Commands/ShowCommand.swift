import ArgumentParser
import Foundation
import HTTPContent
import QuakesKit
import WireFormats

/// `quakes show`: prints one event.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print everything about one event.",
    discussion: """
      EXAMPLES
        quakes show nc75176351
        quakes show nc75176351 --json
      """)

  @Argument(help: "The event's identifier, as `quakes list` prints it.")
  var id: String

  @Flag(help: "Print it as a JSON object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func run() throws {
    let store = try storeOptions.openExisting()
    guard let event = try store.event(id: id) else {
      throw QuakesError(
        .notFound, PlainText.neutralised(id), reason: "there is no such event in the store")
    }
    let revisions = try store.revisions(of: event.id)
    var output = StandardOutput()
    if json {
      var text = JSONWriter()
      event.write(to: &text, with: revisions)
      text.raw("\n")
      try output.write(text.bytes)
    } else {
      try printFacts(event, revisions, &output)
    }
    try output.flush()
  }

  private func printFacts(
    _ event: Event, _ revisions: [Revision], _ output: inout StandardOutput
  ) throws {
    let terminal = Terminal.at(FileHandle.standardOutput.fileDescriptor)
    let table = EventTable(terminal: terminal, zone: .current)
    let magnitude = event.magnitude.map { value in
      [EventTable.decimal(value, 2), event.magnitudeType].compactMap { $0 }.joined(separator: " ")
    }
    var facts: [(String, String?)] = [
      ("ID", event.id),
      ("Magnitude", magnitude),
      ("Place", event.place),
      ("Time", "\(table.zonedTime(event.time)) (\(Timestamp.iso8601(event.time)))"),
      ("Updated", table.zonedTime(event.updated)),
      ("Position", position(event)),
      ("Depth", event.depth.map { EventTable.decimal($0, 1) + " km" }),
      ("Type", event.type),
      ("Status", event.status),
      ("Alert", event.alert),
      ("Tsunami", event.tsunami ? "a message exists" : "no message"),
      ("Felt by", event.felt.map { "\($0) reports" }),
      ("Significance", String(event.significance)),
      ("Page", event.webAddress),
    ]
    let others = event.otherIdentifiers
    if !others.isEmpty { facts.insert(("Also known as", others.joined(separator: ", ")), at: 1) }
    if let withdrawn = event.withdrawn {
      facts.insert(("Withdrawn", "found gone \(table.zonedTime(withdrawn))"), at: 0)
    }
    if !revisions.isEmpty {
      for (number, step) in EventLife(revisions, event).steps.enumerated() {
        facts.append(
          (number == 0 ? "History" : "", "\(table.zonedTime(step.moment))  \(step.text)"))
      }
    }
    for (name, value) in facts {
      let label = name + String(repeating: " ", count: 15 - name.count)
      try output.line(
        terminal.styled(label, .bold) + PlainText.neutralised(value ?? "unknown"))
    }
  }

  private func position(_ event: Event) -> String {
    let latitude = EventTable.decimal(abs(event.latitude), 4) + (event.latitude < 0 ? "° S" : "° N")
    let longitude =
      EventTable.decimal(abs(event.longitude), 4) + (event.longitude < 0 ? "° W" : "° E")
    return "\(latitude), \(longitude)"
  }
}
