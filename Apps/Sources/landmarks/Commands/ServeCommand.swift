import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp
import SwiftData

/// `landmarks serve`: the REST server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve landmarks, favorites and reservations to the clients.",
    discussion: """
      Users sign in with a name and a password (`landmarks users`), or have a token. A file of \
      tokens has a line a user: a name, a blank, the token.

      EXAMPLES
        landmarks users add ann && landmarks serve
        landmarks serve --token-file tokens.txt
        export LANDMARKS_TOKEN=$(openssl rand -hex 16); landmarks serve &
        landmarks serve --places-a-day 20 --closed tuesday
        landmarks serve --faults 30
        landmarks serve --faults 50:500,slow
        curl --oauth2-bearer $LANDMARKS_TOKEN http://127.0.0.1:8090/landmarks
      """)

  @OptionGroup var listen: ListenOptions

  @Option(
    help: ArgumentHelp(
      "The token of the only user; rather use a file or LANDMARKS_TOKEN, which the list of processes does not show.",
      valueName: "token"))
  var token: String?

  @Option(help: ArgumentHelp("A file with the users and their tokens.", valueName: "path"))
  var tokenFile: String?

  @OptionGroup var files: ServerPlace

  @Option(
    help: ArgumentHelp(
      "The number of visits that a landmark takes on a day; by default any.", valueName: "count"))
  var placesADay: Int?

  @Option(
    help: ArgumentHelp(
      "A day of the week on which all landmarks are closed; give it again for more.",
      valueName: "day"))
  var closed: [Weekday] = []

  @Flag(help: "Refuse a visit at the time of another one of the same user.")
  var refuseSameTime = false

  @Option(
    help: ArgumentHelp(
      """
      The percentage of requests that fail, to try clients out: 503, a lost answer, a slow one and 500 in turn. \
      Kinds after a colon choose some of them: 30:500,slow.
      """, valueName: "percent[:kinds]"),
    transform: FaultPlan.init(text:))
  var faults = FaultPlan(percentage: 0)

  /// A day of the week, by its English name.
  enum Weekday: String, CaseIterable, ExpressibleByArgument {
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    /// The number of the day in `Calendar`.
    var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
  }

  func validate() throws {
    if let placesADay, placesADay < 1 {
      throw ValidationError("--places-a-day takes a number of 1 or more.")
    }
    guard Set(closed).count < 7 else { throw ValidationError("One day at least has to be open.") }
  }

  private var rules: VisitRules {
    VisitRules(
      placesADay: placesADay, closedWeekdays: Set(closed.map(\.number)),
      allowsSameTime: !refuseSameTime)
  }

  func run() async throws {
    let file = files.storeFile
    let usersFile = files.usersFile
    let users = try usersFile.read()
    let tokens = try tokens(isNeeded: users.users.isEmpty)
    if users.stamp != nil { try warn(usersFile.file, "passwords, which can then be guessed") }
    let landmarks = try LandmarkCatalogue.load()
    let served: ServedStore
    do {
      served = try ServedStore(file: file, landmarks: landmarks, rules: rules)
    } catch {
      let reason = (error as? StoreError)?.explanation ?? "\(error)"
      throw LandmarksError(
        .storeFailure, file.path, reason: "the store cannot be opened: \(reason)")
    }
    let server = LandmarksServer(
      LocalServer.Settings(host: listen.host, port: listen.port ?? 8090), store: served,
      tokens: tokens, signIn: SignIn(usersFile), faults: ServerFaults(faults),
      logger: .standardError("landmarks"))
    complain("Store \(file.path), \(landmarks.count) landmarks")
    try await untilStopped { try await server.run { announce($0) } }
  }

  /// - Parameter isNeeded: Whether nobody else could use the server.
  private func tokens(isNeeded: Bool) throws -> BearerTokens? {
    if let tokenFile {
      let file = URL(fileURLWithPath: tokenFile)
      let tokens = try BearerTokens(file: file)
      try warn(file, "tokens, which they can use")
      return tokens
    }
    let token = EnvironmentVariables().value(token, "LANDMARKS_TOKEN")
    if token == nil, !isNeeded { return nil }
    return try BearerTokens(token.map { [(BearerTokens.usualUser, $0)] } ?? [])
  }

  /// Warns of a file with secrets that others may read.
  private func warn(_ file: URL, _ secrets: String) throws {
    guard try PrivateFiles.isExposed(file) else { return }
    complain("Others can read \(file.path), with its \(secrets); chmod 600 it.")
  }
}
