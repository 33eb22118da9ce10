import Foundation
import PostgresTesting
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Connections to one of several hosts", .server)
struct SeveralHostsTests {
  /// Takes connections at a port of 127.0.0.1, and never answers.
  private final class SilentServer {
    private let listener: Int32
    let port: UInt16

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            && listen(listener, 64) == 0
        }
      }
      self.listener = listener
      port = UInt16(bigEndian: address.sin_port)
      guard isListening else { throw PostgresServer.Failure(description: "can't listen") }
    }

    deinit { close(listener) }
  }

  private let server: PostgresServer
  private let silent: SilentServer

  init() throws {
    server = try PostgresServer.shared
    silent = try SilentServer()
  }

  /// The host and the port of the server at an address.
  private func place(_ url: String) throws -> (host: String, port: String) {
    let settings = try PostgresURL(url).settings
    return (try #require(settings["host"]), try #require(settings["port"]))
  }

  private var silence: (host: String, port: String) { ("127.0.0.1", "\(silent.port)") }

  /// The options of connections to the first suitable of some servers.
  private func options(
    _ places: [(host: String, port: String)], timeout: Double, _ more: String = ""
  ) throws -> PostgresConnectionOptions {
    let hosts = places.map(\.host).joined(separator: ",")
    let ports = places.map(\.port).joined(separator: ",")
    var options = try server.options(
      "host=\(hosts) port=\(ports) user=postgres dbname=postgres \(more)")
    options.connectTimeout = timeout
    return options
  }

  @Test("one that doesn't answer is left out", arguments: [1, 2])
  func silentHost(count: Int) throws {
    let places = Array(repeating: silence, count: count) + [try place(server.url)]
    let connection = try PostgresConnection(try options(places, timeout: 2))
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test("one that doesn't answer is left out by its network address, too")
  func silentAddress() throws {
    let url = try PostgresURL(server.url(user: "nobody", password: "wrong"))
    let port = try #require(url.settings["port"])
    var options = try server.options(
      "hostaddr=127.0.0.1,127.0.0.1 port=\(silent.port),\(port) user=nobody password=wrong"
        + " dbname=postgres")
    options.connectTimeout = 2
    do {
      _ = try PostgresConnection(options)
      Issue.record("a wrong password was accepted")
    } catch let error as StoreError {
      // The second one has answered.
      #expect(error.code == .accessDenied && error.sqlState == "28P01")
    }
  }

  @Test("the server is chosen by its role, also behind one that doesn't answer")
  func roles() throws {
    let primary = try place(server.url)
    let places = [try place(server.copyURL), silence, primary]
    let inRecovery = "SELECT pg_is_in_recovery()::integer"
    let writing = try PostgresConnection(try options(places, timeout: 2))
    #expect(try writing.run(inRecovery).integer(0, 0) == 0)
    // The primary is refused first, and taken after the other has given no answer.
    let reading = try PostgresConnection(
      try options([primary, silence], timeout: 2, "target_session_attrs=prefer-standby"))
    #expect(try reading.run(inRecovery).integer(0, 0) == 0)
  }

  @Test("without an answer of any, the error says so")
  func silentHosts() throws {
    let options = try options([silence, silence], timeout: 0.1)
    do {
      _ = try PostgresConnection(options)
      Issue.record("nobody was connected")
    } catch let error as StoreError {
      #expect(error.code == .noServer && error.description.contains("0.1 seconds"))
    }
  }

  @Test("there may be any time for it", arguments: [Double.infinity, 1e300, 1e10])
  func anyTime(timeout: Double) throws {
    let connection = try PostgresConnection(
      try options([try place(server.url)], timeout: timeout))
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test("there may be no time for it", arguments: [0, -1, -Double.infinity, .nan])
  func noTime(timeout: Double) throws {
    do {
      _ = try PostgresConnection(try options([silence], timeout: timeout))
      Issue.record("nobody was connected")
    } catch let error as StoreError {
      #expect(error.code == .noServer)
    }
  }
}
