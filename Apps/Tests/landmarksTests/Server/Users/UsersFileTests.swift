import Foundation
import LandmarksKit
import SwiftDataSyncServer
import Testing

@testable import landmarks
@testable import TestSupport

@Suite("The users of the server and their file")
struct UsersFileTests {
  static let kept =
    "pbkdf2-sha256:600000:\(String(repeating: "0", count: 32)):\(String(repeating: "0", count: 64))"

  @Test("comments and order stay, and one line changes")
  func lines() throws {
    let folder = try TemporaryFolder()
    let text = "# the family\nann \(Self.kept)\n\n  bob\t\(Self.kept)\r\n# end"
    let file = UsersFile(try folder.file("users", text))
    #expect(try file.read().users.names == ["ann", "bob"])
    let password = SyncPassword.dummy
    try file.change { users in
      users.set("cid", password)
      users.set("ann", password)
      users.remove("bob")
      users.remove("nobody")
    }
    let written = try String(contentsOf: file.file, encoding: .utf8)
    #expect(written == "# the family\nann \(password.text)\n\n# end\ncid \(password.text)\n")
    #expect(try file.read().users.user("ann")?.password == password)
    #expect(try file.read().users.user("bob") == nil)
  }

  @Test(
    "hostile contents are refused with the line, and never shown",
    arguments: [
      ("ann", "1"), ("ann \(kept) more", "1"), ("# a\nann secret-0123456789", "2"),
      ("ann \(kept)\nann \(kept)", "2"), ("-x \(kept)", "1"), ("a\u{202e}b \(kept)", "1"),
      ("a/b \(kept)", "1"), (String(repeating: "a", count: 101) + " \(kept)", "1"),
      ("caf\u{e9} \(kept)\ncafe\u{301} \(kept)", "2"), ("\u{301}a \(kept)", "1"),
      ("ann pbkdf2-sha256:1:\(kept.dropFirst(21))", "1"),
    ])
  func hostile(_ text: String, _ line: String) throws {
    let folder = try TemporaryFolder()
    let file = UsersFile(try folder.file("users", text))
    let error = #expect(throws: LandmarksError.self) { try file.read() }
    #expect(error?.subject == "\(file.file.path):\(line)")
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.contains("pbkdf2") == false)
    #expect(throws: LandmarksError.self) { try file.change { $0.remove("ann") } }
    #expect(try String(contentsOf: file.file, encoding: .utf8) == text)
  }

  @Test("what is no file, too large or no text is refused")
  func noFile() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let large = folder.file("large")
    try Data(repeating: 0x0a, count: UsersFile.maximumSize + 1).write(to: large)
    let binary = folder.file("binary")
    try Data([0x61, 0xff, 0xfe]).write(to: binary)
    for file in [folder.url, pipe, large, binary, URL(fileURLWithPath: "/dev/null")] {
      let error = #expect(throws: LandmarksError.self, "\(file.path)") {
        try UsersFile(file).read()
      }
      #expect(error?.code == .inputOutput)
    }
    #expect(try UsersFile(folder.file("none")).read().users.isEmpty)
    #expect(try UsersFile(folder.file("no/such/folder")).read().stamp == nil)
  }

  @Test("the file is made and replaced for its owner only, also behind a link and in a new folder")
  func modes() throws {
    let folder = try TemporaryFolder()
    let users = UsersFile(folder.file("new/users"))
    let old = umask(0)
    defer { umask(old) }
    try users.change { $0.set("ann", .dummy) }
    func mode(_ url: URL) throws -> Int? {
      let facts = try FileManager.default.attributesOfItem(atPath: url.path)
      return (facts[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(users.file) == 0o600)
    #expect(try mode(folder.file("new")) == 0o700)
    #expect(chmod(users.file.path, 0o644) == 0)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: users.file)
    try UsersFile(link).change { $0.set("bob", .dummy) }
    #expect(try mode(users.file) == 0o600)
    #expect(try users.read().users.names == ["ann", "bob"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("new").path) == ["users"])
  }

  @Test("concurrent changes are all kept")
  func concurrent() async throws {
    let folder = try TemporaryFolder()
    let file = UsersFile(folder.file("users"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try file.change { $0.set("user\(number)", .dummy) } }
      }
      try await group.waitForAll()
    }
    #expect(try Set(file.read().users.names) == Set((0..<20).map { "user\($0)" }))
  }

  @Test("a change that fails changes nothing")
  func failure() throws {
    let folder = try TemporaryFolder()
    let file = UsersFile(try folder.file("users", "ann \(Self.kept)\n"))
    #expect(throws: CancellationError.self) {
      try file.change { users in
        users.remove("ann")
        throw CancellationError()
      }
    }
    #expect(try file.read().users.names == ["ann"])
  }

  @Test("a table of a running server follows its file")
  func table() throws {
    let folder = try TemporaryFolder()
    let file = UsersFile(folder.file("users"))
    let table = UserTable(file)
    #expect(try table.users().isEmpty)
    try file.change { $0.set("ann", .dummy) }
    let first = try table.credential(of: "ann")
    #expect(first != nil)
    try file.change { users in
      users.set("ann", SyncPassword(text: Self.kept) ?? .dummy)
    }
    #expect(try table.credential(of: "ann") != first)
    try Data("ann\n".utf8).write(to: file.file)
    for _ in 0..<2 { #expect(throws: LandmarksError.self) { try table.users() } }
    try FileManager.default.removeItem(at: file.file)
    #expect(try table.credential(of: "ann") == nil)
  }

  @Test("names and passwords have rules")
  func rules() {
    for name in ["ann", "Ann.B-1@example.org", "ж", "cafe\u{301}", "李"] {
      #expect(ServerUsers.name(name) != nil, "\(name)")
    }
    for name in ["", " ", "a b", "a:b", "#a", "-a", ".a", "a\n", "a\u{200d}b", "💡"] {
      #expect(ServerUsers.name(name) == nil, "\(name)")
    }
    for password in ["", "1234567", "12345678\n", String(repeating: "a", count: 1_025)] {
      #expect(throws: LandmarksError.self) { try ServerUsers.check(password) }
    }
    let made = (0..<20).map { _ in ServerUsers.generated() }
    #expect(Set(made).count == 20 && made.allSatisfy { $0.count == 23 })
    for password in made + ["12345678", "pässwörd"] {
      #expect(throws: Never.self) { try ServerUsers.check(password) }
    }
  }
}
