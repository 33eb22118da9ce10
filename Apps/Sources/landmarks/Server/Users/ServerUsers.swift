import Foundation
import LandmarksKit
import SwiftDataSyncServer

/// The users of a server with their passwords, in the lines of ``UsersFile``.
struct ServerUsers: Sendable {
  /// The maximum length of a name, in bytes of UTF-8.
  static let longestName = 100
  /// The maximum number of users.
  static let most = 10_000
  /// The minimum length of a password, in characters.
  static let shortestPassword = 8

  private enum Line: Sendable {
    /// A comment or an empty line.
    case other(String)
    case user(String, SyncPassword)
  }

  private var lines: [Line] = []
  private var passwords: [String: (name: String, password: SyncPassword)] = [:]

  /// No users.
  init() {}

  /// Reads the content of a file: a user a line, with the name, a blank and the stored form of the password; `#` starts
  /// a comment.
  /// - Parameters:
  ///   - text: The content.
  ///   - path: The file's path, for errors.
  /// - Throws: ``LandmarksError/Code/invalidArgument``, which names the line and never its content.
  init(_ text: String, path: String) throws {
    var rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if rows.last?.isEmpty == true { rows.removeLast() }
    for (number, row) in rows.enumerated() {
      func refuse(_ reason: String) -> LandmarksError {
        LandmarksError(.invalidArgument, "\(path):\(number + 1)", reason: reason)
      }
      let words = row.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, !first.hasPrefix("#") else {
        lines.append(.other(String(row)))
        continue
      }
      guard words.count == 2, let password = SyncPassword(text: String(words[1])) else {
        throw refuse("write a user's name, a blank and what `landmarks users` made of the password")
      }
      guard let name = Self.name(String(first)) else { throw refuse(Self.nameRule) }
      guard passwords[name] == nil else { throw refuse("this user is in the file twice") }
      guard passwords.count < Self.most else {
        throw refuse("a server has at most \(Self.most) users")
      }
      lines.append(.user(name, password))
      passwords[name] = (name, password)
    }
  }

  /// The content of the file.
  var text: String {
    lines.map { line in
      switch line {
      case .other(let text): text + "\n"
      case .user(let name, let password): "\(name) \(password.text)\n"
      }
    }.joined()
  }

  /// The names, in the order of the file.
  var names: [String] {
    lines.compactMap { if case .user(let name, _) = $0 { name } else { nil } }
  }

  var isEmpty: Bool { passwords.isEmpty }

  /// Returns a user with the name in the spelling of the file; nil if there is none.
  func user(_ name: String) -> (name: String, password: SyncPassword)? { passwords[name] }

  /// Adds a user, or replaces the password of one.
  mutating func set(_ name: String, _ password: SyncPassword) {
    if let place = place(of: name) {
      lines[place] = .user(name, password)
    } else {
      lines.append(.user(name, password))
    }
    passwords[name] = (name, password)
  }

  /// Removes a user, if there is one.
  mutating func remove(_ name: String) {
    if let place = place(of: name) { lines.remove(at: place) }
    passwords[name] = nil
  }

  private func place(of name: String) -> Int? {
    lines.firstIndex { if case .user(name, _) = $0 { true } else { false } }
  }

  // MARK: Rules

  static let nameRule =
    "a name has letters, digits and . _ - @ +, begins with a letter or digit, and has at most \(longestName) bytes"

  /// Returns a name in its composed form (NFC); nil if no user can have it.
  static func name(_ text: String) -> String? {
    guard (1...longestName).contains(text.utf8.count) else { return nil }
    let name = text.precomposedStringWithCanonicalMapping
    for (place, scalar) in name.unicodeScalars.enumerated() {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber:
        continue
      case .nonspacingMark, .spacingMark: guard place > 0 else { return nil }
      default: guard place > 0, "._-@+".unicodeScalars.contains(scalar) else { return nil }
      }
    }
    return name
  }

  /// Checks a new password.
  /// - Throws: ``LandmarksError/Code/invalidArgument``.
  static func check(_ password: String) throws {
    guard password.count >= shortestPassword else {
      throw LandmarksError(
        .invalidArgument, "password", reason: "use at least \(shortestPassword) characters")
    }
    guard password.utf8.count <= SyncPassword.longest else {
      throw LandmarksError(
        .invalidArgument, "password", reason: "use at most \(SyncPassword.longest) bytes")
    }
    guard !password.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw LandmarksError(.invalidArgument, "password", reason: "it has control characters")
    }
  }

  /// Returns a new password of 100 random bits, without characters that look alike.
  static func generated() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    var generator = SystemRandomNumberGenerator()
    let groups = (0..<4).map { _ in
      String((0..<5).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }
    return groups.joined(separator: "-")
  }
}
