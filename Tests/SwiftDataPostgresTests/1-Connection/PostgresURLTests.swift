import SwiftDataCore
import SwiftDataPostgres
import Testing

@Suite("Addresses of databases")
struct PostgresURLTests {
  private let secret = "s3cret word"

  @Test("are shown without their passwords")
  func passwords() throws {
    let text = "postgresql://ada:s3cret%20word@db.example:5433/quakes?sslpassword=hidden"
    let url = try PostgresURL(text)
    #expect(url.description == "postgresql://ada@db.example:5433/quakes")
    var dumped = ""
    dump(url, to: &dumped)
    dump(PostgresConnectionOptions(url: url), to: &dumped)
    for shown in ["\(url)", String(reflecting: url), "\([url])", dumped] {
      #expect(!shown.contains(secret) && !shown.contains("hidden"), "\(shown)")
    }
    #expect(url.settings["password"] == nil && url.settings["sslpassword"] == nil)
  }

  @Test(
    "name the folder of a socket",
    arguments: [
      ("postgresql:///quakes?host=/run/postgresql", "postgresql:///quakes?host=/run/postgresql"),
      ("host=/tmp dbname=quakes user=ada", "postgresql://ada@/quakes?host=/tmp"),
      ("postgresql:///quakes", "postgresql:///quakes"),
    ])
  func sockets(text: String, description: String) throws {
    #expect(try PostgresURL(text).description == description)
  }

  @Test("that can't be read aren't repeated in the error")
  func unreadable() {
    let text = "postgresql://ada:s3cret%zz@db/quakes"
    do {
      _ = try PostgresURL(text)
      Issue.record("the address was accepted")
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen)
      #expect(!error.debugDescription.contains("s3cret"), "\(error.debugDescription)")
    } catch { Issue.record("another error: \(error)") }
  }

  @Test(
    "of configurations with an impossible name of the schema",
    arguments: [("", "is empty"), ("pg_quakes", "begins with pg_"), ("a\0b", "U+0000")])
  func schemaName(name: String, reason: String) {
    let configuration = PostgresConfiguration(name, url: "postgresql://ada:s3cret@db/quakes")
    #expect {
      try configuration.validate()
    } throws: { error in
      let text = "\(error)"
      return (error as? StoreError)?.code == .cannotOpen && text.contains(reason)
        && text.contains("postgresql://ada@db/quakes") && !text.contains("s3cret")
        && !text.contains("\0")
    }
  }

  @Test("of configurations are shown without passwords, unreadable ones not at all")
  func configurations() {
    let url = "postgresql://ada:s3cret@db/quakes?sslpassword=s3cret"
    let configuration = PostgresConfiguration("quakes", url: url)
    #expect(configuration.urlWithoutPasswords == "postgresql://ada@db/quakes")
    #expect(!String(reflecting: configuration).contains("s3cret"))
    #expect(PostgresConfiguration("quakes", url: "nonsense").urlWithoutPasswords == nil)
  }
}
