import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp
import SwiftDataSyncServer

/// The options for the files of a server.
struct ServerPlace: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The server's store; by default landmarks/server.store in $XDG_DATA_HOME or ~/.local/share, on Apple systems in \
      Application Support.
      """, valueName: "path"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The file of the users; by default the store's name with .users at its end.",
      valueName: "path"))
  var users: String?

  /// The store's file.
  var storeFile: URL {
    store.map { URL(fileURLWithPath: $0) } ?? StorePlace.standard("server.store")
  }

  /// The file of the users.
  var usersFile: UsersFile {
    UsersFile(users.map { URL(fileURLWithPath: $0) } ?? storeFile.appendingPathExtension("users"))
  }
}

/// `landmarks users`: the users of the REST server.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Add, list and remove the users of the server, and change their passwords.",
    discussion: """
      A running server takes changes over at once. The file has a line a user: the name, a blank, \
      and what PBKDF2 made of the password; # begins a comment.

      EXAMPLES
        landmarks users add ann
        landmarks users add bob --generate
        printf '%s\\n' "$PASSWORD" | landmarks users password ann
      """,
    subcommands: [Add.self, List.self, Remove.self, Password.self])

  /// The options for a new password.
  struct NewPassword: ParsableArguments {
    @Flag(help: "Make a password, and print it.")
    var generate = false

    /// Returns the password: made, typed twice, or a line of the standard input.
    func password(of name: String) throws -> String {
      if generate { return ServerUsers.generated() }
      let input = SecretInput()
      let password = try input.read("Password of \(name): ")
      try ServerUsers.check(password)
      if input.isTerminal, try input.read("The same again: ") != password {
        throw LandmarksError(.invalidArgument, "password", reason: "the two are different")
      }
      return password
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user, with a password from the terminal or the standard input.")

    @Argument(help: "The user's name.")
    var name: String
    @OptionGroup var new: NewPassword
    @OptionGroup var place: ServerPlace

    func run() throws {
      try UsersCommand.setPassword(name, new, in: place.usersFile) { users, name in
        guard users.user(name) == nil else { throw UsersCommand.isThere(name) }
        guard users.names.count < ServerUsers.most else {
          throw LandmarksError(
            .invalidArgument, name, reason: "a server has at most \(ServerUsers.most) users")
        }
      } done: {
        "\($0) is added"
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the names of the users.")

    @Flag(help: "Print a JSON array with an object for each user.")
    var json = false

    @OptionGroup var place: ServerPlace

    func run() throws {
      var output = StandardOutput()
      let names = try place.usersFile.read().users.names
      if json {
        try output.json { json in
          json.list(names) { json, name in
            json.raw(#"{"name":"#)
            json.string(name)
            json.raw("}")
          }
        }
      } else {
        if names.isEmpty { complain("No users; `landmarks users add NAME` adds one.") }
        for name in names { try output.line(name) }
      }
      try output.flush()
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Remove a user, whose sessions end; favorites and visits stay in the server's store.")

    @Argument(help: "The user's name.")
    var name: String
    @OptionGroup var place: ServerPlace

    func run() throws {
      let name = try UsersCommand.name(name)
      let file = place.usersFile
      guard try file.read().users.user(name) != nil else { throw UsersCommand.isMissing(name) }
      try file.change { users in
        guard users.user(name) != nil else { throw UsersCommand.isMissing(name) }
        users.remove(name)
      }
      try UsersCommand.report("\(name) is removed")
    }
  }

  struct Password: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the password of a user, whose sessions end.")

    @Argument(help: "The user's name.")
    var name: String
    @OptionGroup var new: NewPassword
    @OptionGroup var place: ServerPlace

    func run() throws {
      try UsersCommand.setPassword(name, new, in: place.usersFile) { users, name in
        guard users.user(name) != nil else { throw UsersCommand.isMissing(name) }
      } done: {
        "The password of \($0) is changed"
      }
    }
  }

  /// Sets the password of a user whom `check` allows, before the password is asked for and again while no other program
  /// changes the file.
  private static func setPassword(
    _ text: String, _ new: NewPassword, in file: UsersFile,
    check: (ServerUsers, String) throws -> Void, done: (String) -> String
  ) throws {
    let name = try name(text)
    try check(try file.read().users, name)
    let password = try new.password(of: name)
    let kept = SyncPassword(password)
    try file.change { users in
      try check(users, name)
      users.set(name, kept)
    }
    try report(done(name), password, new.generate)
  }

  private static func name(_ text: String) throws -> String {
    guard let name = ServerUsers.name(text) else {
      throw LandmarksError(.invalidArgument, "NAME", reason: ServerUsers.nameRule)
    }
    return name
  }

  private static func isThere(_ name: String) -> LandmarksError {
    LandmarksError(
      .invalidArgument, name,
      reason: "there is such a user; `landmarks users password` changes the password")
  }

  private static func isMissing(_ name: String) -> LandmarksError {
    LandmarksError(.notFound, name, reason: "there is no such user; `landmarks users list` has all")
  }

  /// Prints what was done, and a password that was made.
  private static func report(_ text: String, _ password: String = "", _ isMade: Bool = false) throws
  {
    var output = StandardOutput()
    if isMade {
      complain("\(text), with the password:")
      try output.line(password)
    } else {
      try output.line("\(text).")
    }
    try output.flush()
  }
}
