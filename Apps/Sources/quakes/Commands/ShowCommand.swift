import ArgumentParser
import Foundation
import HTTPContent
import LocalApp
import QuakesKit
import WireFormats

/// `quakes show`: prints one event.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print everything about one event.",
    discussion: """
      With --details, also what the event's detail document tells: felt reports, shaking, losses, mechanism, towns. It \
      is loaded from the server of the feed or of a back-fill when it isn't kept in the store, and kept.

      EXAMPLES
        quakes show nc75176351
        quakes show nc75176351 --json
        quakes show us7000abcd --details
        quakes show us7000abcd --utc --miles
      """)

  @Argument(help: "The event's identifier, as `quakes list` prints it.")
  var id: String

  @Flag(help: "Print it as a JSON object.")
  var json = false

  @Flag(help: "Load and print the details of the event, too.")
  var details = false

  @Option(
    help: ArgumentHelp(
      "With --details: the feed whose server may be asked; by default all_day, of the USGS.",
      valueName: "feed"))
  var feed: String?

  @Option(
    help: ArgumentHelp(
      "With --details: an event service whose server may be asked, too.", valueName: "address"))
  var service: String?

  @OptionGroup var presentation: Presentation
  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard !json || !presentation.units.miles else {
      throw ValidationError("--miles and --json exclude each other: JSON has kilometres.")
    }
    guard details || (feed == nil && service == nil) else {
      throw ValidationError("--feed and --service go with --details.")
    }
  }

  func run() async throws {
    let environment = EnvironmentVariables()
    // Mistyped options are told before anything else.
    let selection = details ? try environment.feed(feed) : nil
    let service = details ? try environment.namedEventService(service) : nil
    let store =
      try details ? storeOptions.openExistingForWriting() : storeOptions.openExisting()
    guard let event = try store.event(id: id) else {
      throw QuakesError(
        .notFound, PlainText.neutralised(id), reason: "there is no such event in the store")
    }
    let revisions = try store.revisions(of: event.id)
    var answer: DetailsLoader.Answer?
    if let selection {
      let loader = DetailsLoader(store, feed: selection, service: service)
      answer = try await interruptible { try await loader.details(of: event) }
    }
    let text = answer.map { DetailsText($0, in: presentation.unit) }
    if let warning = text?.warning { complain("Warning: \(warning)") }
    var output = StandardOutput()
    if json {
      var json = JSONWriter()
      event.write(to: &json, with: revisions, details: answer)
      json.raw("\n")
      try output.write(json.bytes)
    } else {
      try printFacts(event, revisions, text, &output)
    }
    try output.flush()
  }

  private func printFacts(
    _ event: Event, _ revisions: [Revision], _ details: DetailsText?,
    _ output: inout StandardOutput
  ) throws {
    let terminal = Terminal.at(FileHandle.standardOutput.fileDescriptor)
    let unit = presentation.unit
    let table = EventTable(terminal: terminal, zone: presentation.zone, unit: unit)
    let magnitude = event.magnitude.map { value in
      [EventTable.decimal(value, 2), event.magnitudeType].compactMap { $0 }.joined(separator: " ")
    }
    let utc = Timestamp.iso8601(event.time)
    let time = presentation.utc ? utc : "\(table.zonedTime(event.time)) (\(utc))"
    var facts: [(String, String?)] = [
      ("ID", event.id),
      ("Magnitude", magnitude),
      ("Place", event.place.map(unit.place)),
      ("Time", time),
      ("Updated", table.zonedTime(event.updated)),
      ("Position", position(event)),
      ("Depth", event.depth.map(unit.depth)),
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
      for (number, step) in EventLife(revisions, event, in: unit).steps.enumerated() {
        facts.append(
          (number == 0 ? "History" : "", "\(table.zonedTime(step.moment))  \(step.text)"))
      }
    }
    facts += details?.facts(table.zonedTime) ?? []
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
