import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp

/// `landmarks sign-in`: begins a session with the server.
struct SignInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in",
    abstract: "Sign in at the server, for all commands with this store.",
    discussion: """
      The password is typed, or a line of the standard input. A token in its place is kept beside \
      the store, in a file that only you may read.

      EXAMPLES
        landmarks sign-in --user ann
        landmarks sign-in --server https://landmarks.example.org
        pass landmarks | landmarks sign-in --user ann
      """)

  @Option(help: ArgumentHelp("The user's name; asked for when left out.", valueName: "name"))
  var user: String?

  @Flag(
    help: "Take the store for this user's, though it was exchanged with a token before.")
  var takeOver = false

  @Flag(help: "Print the status as a JSON object, as `landmarks status` does.")
  var json = false

  @OptionGroup var address: ServerAddress
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let input = SecretInput()
    let name = try user ?? ask(input)
    if EnvironmentVariables().value(nil, "LANDMARKS_TOKEN") != nil {
      complain("LANDMARKS_TOKEN is set; commands use it, not the sign-in.")
    }
    // A store that isn't there yet is made when the server has let the user in.
    let asked =
      try storeOptions.isNew
      ? address.trial(of: storeOptions, token: nil)
      : address.source(storeOptions.open(), token: nil)
    let password = try input.read("Password of \(PlainText.neutralised(name)): ")
    let takesOver = takeOver
    let opened = try await interruptible {
      try await asked.openSession(name, password, takesOver: takesOver)
    }
    let source =
      try asked.store.file == nil ? address.source(storeOptions.open(), token: nil) : asked
    let found = try await source.begin(opened)
    var output = StandardOutput()
    if json {
      try await SignOutCommand.write(source, &output)
      return try output.flush()
    }
    try output.line("Signed in as \(PlainText.neutralised(found)) at \(source.shownServer).")
    try output.flush()
  }

  private func ask(_ input: SecretInput) throws -> String {
    guard input.isTerminal else {
      throw LandmarksError(
        .invalidArgument, "--user", reason: "without a terminal, give the user's name")
    }
    ErrorOutput.write("Name: ")
    guard let name = readLine(), !name.isEmpty else {
      throw LandmarksError(.invalidArgument, "--user", reason: "a name is needed")
    }
    return name
  }
}

/// `landmarks sign-out`: ends the session with the server.
struct SignOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Sign out; the store and what waits in it stay.")

  @Flag(help: "Print the status as a JSON object, as `landmarks status` does.")
  var json = false

  @OptionGroup var address: ServerAddress
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let store = try storeOptions.openExisting(isReadOnly: true)
    let source = try address.source(store, token: nil)
    let outcome = try await interruptible { try await source.signOut() }
    var output = StandardOutput()
    if json { try await Self.write(source, &output) }
    if let (user, isEnded) = outcome {
      let count = try await source.sync.waiting().count
      let name = PlainText.neutralised(user)
      let waiting =
        switch count {
        case 0: "Nothing waits."
        case 1: "1 change waits here until \(name) signs in again."
        default: "\(count) changes wait here until \(name) signs in again."
        }
      if !json { try output.line("\(name) is signed out. \(waiting)") }
      if !isEnded {
        complain("The server did not answer: the session there ends after 90 days without use.")
      }
    } else if !json {
      try output.line("Nobody is signed in.")
    }
    try output.flush()
  }

  /// Writes the status after a sign-in or a sign-out as JSON.
  static func write(_ source: AppSource, _ output: inout StandardOutput) async throws {
    let waiting = try await source.sync.waiting()
    let status = try source.status(waiting)
    try output.json { $0.status(status, waiting) }
  }
}
