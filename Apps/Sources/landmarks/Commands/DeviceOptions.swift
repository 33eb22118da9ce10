import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp
import LocalCopy

/// The options of commands that work on a device's store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The store's file; by default landmarks/app.store in $XDG_DATA_HOME or ~/.local/share, on Apple systems in \
      Application Support.
      """, valueName: "path"))
  var store: String?

  /// The store's file.
  var file: URL {
    EnvironmentVariables().value(store, "LANDMARKS_STORE").map { URL(fileURLWithPath: $0) }
      ?? StorePlace.standard("app.store")
  }

  /// Opens the store, and creates it if it doesn't exist.
  func open() throws -> LandmarkStore { try LandmarkStore(file: file) }

  /// Whether there is no such file, so that opening it makes a store.
  var isNew: Bool { !FileManager.default.fileExists(atPath: file.path) }

  /// Opens the store of a command that needs landmarks: a mistyped path must not create a store.
  /// - Parameter isReadOnly: Whether the command only reads, also a store that this user can't write.
  func openExisting(isReadOnly: Bool = false) throws -> LandmarkStore {
    try ExistingFile.requireStore(file, madeBy: "landmarks sync")
    return try LandmarkStore(file: file, isReadOnly: isReadOnly)
  }
}

/// The option for the server's address.
struct ServerAddress: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server's address; by default that of the last sign-in, else \(API.baseURL).",
      valueName: "url"))
  var server: String?

  /// Returns the store with its exchange with the server.
  /// - Parameters:
  ///   - token: The token that was given at the start; nil takes that of a session.
  ///   - every: The time between exchanges when there are no changes.
  ///   - clock: The device's clock.
  ///   - session: The file of the session; nil takes the one beside the store.
  func source(
    _ store: LandmarkStore, token: String?, every: Duration = .seconds(30),
    clock: DeviceClock = DeviceClock(), session: SessionFile? = nil
  ) throws -> AppSource {
    let file = token == nil ? session ?? store.file.map(SessionFile.init) : nil
    let given = EnvironmentVariables().value(server, "LANDMARKS_SERVER")
    let text = try given ?? file?.read()?.server ?? API.baseURL
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false, url.user() == nil, url.query() == nil
    else {
      throw LandmarksError(
        .invalidArgument, "--server", reason: "use an address such as \(API.baseURL)")
    }
    if let file, try file.read() != nil, try PrivateFiles.isExposed(file.file) {
      complain("Others can read \(file.file.path), and use its token; chmod 600 it.")
    }
    return try AppSource(
      store, server: url, token: token, every: every, clock: clock, session: session)
  }

  /// Returns an exchange with a store in memory in place of one that isn't there yet, to try out what could fail: then
  /// nothing is left behind.
  /// - Parameter token: The token that was given at the start; nil takes that of a session.
  func trial(of options: StoreOptions, token: String?) throws -> AppSource {
    try source(
      LandmarkStore(file: nil), token: token, session: SessionFile(besides: options.file))
  }
}

/// The options of commands that talk to the server.
struct ServerOptions: ParsableArguments {
  @OptionGroup var address: ServerAddress

  @Option(
    help: ArgumentHelp(
      "The bearer token; rather sign in, or set LANDMARKS_TOKEN: the list of processes shows options.",
      valueName: "token"))
  var token: String?

  /// Returns the store with its exchange with the server.
  /// - Parameters:
  ///   - every: The time between exchanges when there are no changes.
  ///   - clock: The device's clock.
  func source(
    _ store: LandmarkStore, every: Duration = .seconds(30), clock: DeviceClock = DeviceClock()
  ) throws -> AppSource {
    try address.source(store, token: checkedToken(), every: every, clock: clock)
  }

  /// Opens the store with its exchange with the server. A store that isn't there yet is made when the server has given
  /// landmarks: a mistyped address, or a token that is refused, leaves nothing behind.
  func source(making options: StoreOptions) async throws -> AppSource {
    if options.isNew {
      do {
        _ = try await address.trial(of: options, token: checkedToken()).refreshLandmarks()
      } catch let error as LocalCopyError where AppSource.isAway(error) {
        throw LandmarksError(
          .serverUnavailable, "",
          reason: AppSource.message(error, kept: "No store was made at \(options.file.path)."))
      }
    }
    return try source(options.open())
  }

  private func checkedToken() throws -> String? {
    let token = EnvironmentVariables().value(token, "LANDMARKS_TOKEN")
    guard token?.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) ?? true else {
      throw LandmarksError(
        .invalidArgument, "token", reason: "it has characters that no token has")
    }
    return token
  }
}

/// The options for the address that a server listens on.
struct ListenOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "number"))
  var port: Int?

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host: String = "127.0.0.1"

  func validate() throws {
    if let port, !(0...65_535).contains(port) {
      throw ValidationError("--port takes a number from 0 to 65535.")
    }
  }
}
