import Foundation

/// An OpenAPI description of this repository, with the parts that tests compare servers with.
///
/// It reads only the layout that these descriptions have: operations in blocks, with one status or parameter per line.
package struct OpenAPI: Sendable {
  /// A parameter and its location.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    /// `path`, `query` or `header`.
    package let place: String
  }

  /// A method and a path.
  package struct Operation: Sendable, CustomStringConvertible {
    package let method: String
    package let path: String
    package var statuses: Set<Int> = []
    package var parameters: [Parameter] = []
    package var hasBody = false

    package var description: String { "\(method) \(path)" }
  }

  package let operations: [Operation]

  /// Reads `docs/NAME`.
  package init(_ name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "docs/\(name)")
    self.init(lines: try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n"))
  }

  init(lines: [String]) {
    let shared = Self.sharedParameters(lines)
    var operations: [Operation] = []
    var path = ""
    var ofPath: [Parameter] = []
    var pending: String?
    var isInPaths = false
    for line in lines {
      if let first = line.first, first != " " { isInPaths = line == "paths:" }
      guard isInPaths else { continue }
      if line.hasPrefix("  /"), line.hasSuffix(":") {
        (path, ofPath) = (String(line.dropFirst(2).dropLast()), [])
      } else if let method = Self.method(line) {
        operations.append(Operation(method: method, path: path, parameters: ofPath))
      } else if line.hasPrefix("    parameters:") {
        ofPath = Self.references(line).compactMap { shared[$0] }
      } else if !operations.isEmpty {
        let last = operations.count - 1
        if line.hasPrefix("        \""), let status = Int(line.dropFirst(9).prefix(3)) {
          operations[last].statuses.insert(status)
        }
        if line.hasPrefix("      requestBody:") { operations[last].hasBody = true }
        if line.hasPrefix("        - ") {
          operations[last].parameters += Self.references(line).compactMap { shared[$0] }
          if let parameter = Self.flow(line) {
            operations[last].parameters.append(parameter)
          } else if line.contains("- name: ") {
            pending = Self.value("name", line)
          }
        } else if let name = pending, let place = Self.value("in", line) {
          operations[last].parameters.append(Parameter(name: name, place: place))
          pending = nil
        }
      }
    }
    self.operations = operations
  }

  private static func method(_ line: String) -> String? {
    guard line.hasPrefix("    "), line.hasSuffix(":"), !line.hasPrefix("     ") else { return nil }
    let word = line.dropFirst(4).dropLast()
    return ["get", "put", "post", "delete", "patch"].contains(word) ? word.uppercased() : nil
  }

  private static func value(_ name: String, _ line: String) -> String? {
    guard let start = line.range(of: "\(name): ") else { return nil }
    return String(line[start.upperBound...].prefix { $0 != "," && $0 != " " && $0 != "}" })
  }

  private static func flow(_ line: String) -> Parameter? {
    guard line.contains("{ name:"), let name = value("name", line), let place = value("in", line)
    else { return nil }
    return Parameter(name: name, place: place)
  }

  private static func references(_ line: String) -> [String] {
    line.components(separatedBy: "#/components/parameters/").dropFirst()
      .map { String($0.prefix { $0 != "\"" }) }
  }

  private static func sharedParameters(_ lines: [String]) -> [String: Parameter] {
    var parameters: [String: Parameter] = [:]
    var isInside = false
    var title: String?
    var name: String?
    for line in lines {
      if line == "  parameters:" {
        isInside = true
      } else if isInside {
        if line.hasPrefix("    "), !line.hasPrefix("     ") {
          title = String(line.dropFirst(4).prefix { $0 != ":" })
          if let title, let parameter = flow(line) { parameters[title] = parameter }
        } else if line.hasPrefix("      name: ") {
          name = value("name", line)
        } else if line.hasPrefix("      in: "), let title, let name, let place = value("in", line) {
          parameters[title] = Parameter(name: name, place: place)
        } else if !line.hasPrefix("    ") {
          isInside = false
        }
      }
    }
    return parameters
  }
}

/// Texts in place of a number.
package enum HostileNumber {
  package static let all =
    [
      "", " ", "-9223372036854775809", "-9223372036854775808", "-1", "-0", "0", "+1", "1", "01",
      "9223372036854775805", "9223372036854775806", "9223372036854775807", "9223372036854775808",
      "18446744073709551615", "18446744073709551616", "4294967296", "2147483648", "1.5", "1e3",
      "1e308", "1e400", "-1e400", "NaN", "inf", "0x10", "1_000", "1,000", "null", "true", "\"1\"",
      "\u{661}", "%00", "%", "*", String(repeating: "9", count: 400),
    ]

  /// The texts that a header field can have.
  package static var inHeaders: [String] {
    all.filter { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }
  }

  /// Encodes the text as a part of an address, unless it is deliberately malformed.
  package static func encoded(_ text: String) -> String {
    if text.hasPrefix("%") { return text }
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
