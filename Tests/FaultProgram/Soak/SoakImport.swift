import Foundation
import LocalCopy
import SwiftData
import SwiftDataExtras
import TestSupport

/// An element of the feed.
@Model
final class Reading {
  #Index<Reading>([\.time])

  @Attribute(.unique) var code: String
  var time: Int
  var value: Double
  var place: String?

  init(_ element: Element) {
    code = element.code
    time = element.time
    value = element.value
    place = element.place
  }

  struct Element: Decodable, Sendable {
    let code: String
    let time: Int
    let value: Double
    let place: String?
  }
}

/// A local copy of a feed whose window moves on. Occasionally, documents are cut off and elements are malformed.
@MainActor
final class SoakImport: SoakPart {
  private let container: ModelContainer
  private let copy: LocalCopy<Reading.Element, Reading>
  private let feed: URL
  /// The number of the first element of the document, and the number of elements.
  private var first = 0
  private let width = 600
  /// The value of each stored element.
  private var stored: [Int: Double] = [:]
  private var (refreshes, refused, elements) = (0, 0, 0)

  init(_ container: ModelContainer, _ folder: URL) throws {
    self.container = container
    feed = folder.appending(path: "feed.json")
    copy = try LocalCopy(
      of: .file(feed), elements: "readings", decode: Reading.Element.self, into: container
    ) { Reading($0) }
  }

  func turn(_ random: inout SeededGenerator) async throws {
    first += random.number(0...40)
    var values: [Int: Double] = [:]
    var texts: [String] = []
    for number in first..<first + width {
      // Most elements are unchanged.
      let value =
        if let known = stored[number], random.number(1...10) > 1 { known } else {
          Double(random.number(0...1_000_000)) / 8
        }
      if random.number(1...200) == 1 {
        texts.append(#"{"code": "r\#(number)", "time": "\#(value)", "value": []}"#)
      } else {
        values[number] = value
        texts.append(
          #"{"code": "r\#(number)", "time": \#(number), "value": \#(value), "place": "Ort \#(number)"}"#
        )
      }
    }
    let document = #"{"readings": ["# + texts.joined(separator: ",\n") + "]}"
    let isCut = random.number(1...5) == 1
    let bytes =
      isCut ? document.utf8.prefix(random.number(1...document.utf8.count - 1)) : document.utf8[...]
    try Data(bytes).write(to: feed, options: .atomic)
    do {
      let report = try await copy.refresh(force: true)
      guard !isCut else { throw Finding("a document that was cut off was taken for a whole one") }
      guard report.received == width, report.skipped == width - values.count else {
        throw Finding(
          "of \(width) elements \(report.received) were read, \(report.skipped) skipped")
      }
      stored.merge(values) { $1 }
      refreshes += 1
      elements += width
    } catch let error as LocalCopyError {
      guard isCut else { throw error }
      refused += 1
    }
    // Elements that have left the window are deleted.
    let limit = first
    try container.batchDelete(Reading.self, where: #Predicate { $0.time < limit })
    stored = stored.filter { $0.key >= limit }
  }

  func check() async throws {
    let found = try ModelContext(container).fetch(FetchDescriptor<Reading>())
    guard found.count == stored.count, found.allSatisfy({ stored[$0.time] == $0.value }) else {
      throw Finding("the copy has \(found.count) readings, not the \(stored.count) of the feed")
    }
  }

  var figures: String {
    "\(refreshes) refreshes of \(elements) elements, \(refused) refused documents"
  }
}
