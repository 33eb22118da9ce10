import Foundation
import WireFormats

/// A country or state, with the names that people search for and the texts by which a place of a feed names it.
public struct PlaceName: Hashable, Sendable {
  /// The texts of places, such as `, CA` and `Japan`; upper and lower case matter.
  let texts: [String]
  /// The codes and the words of the names, folded. A word has to equal one, or, with three characters or more, begin
  /// it.
  private let keys: Set<String>

  /// - Parameters:
  ///   - codes: Codes such as `JPN` or `CA`.
  ///   - names: Names such as `United Kingdom`.
  ///   - texts: The texts of places.
  init(codes: [String], names: [String], texts: [String]) {
    self.texts = texts
    keys = Set(
      (codes + names.flatMap { $0.split(separator: " ").map(String.init) })
        .map(SearchWord.folded))
  }

  /// Returns whether a word of a search means this country or state.
  /// - Parameter word: The word, folded by ``SearchWord/folded(_:)``.
  func isMeant(by word: String) -> Bool {
    if keys.contains(word) { return true }
    return word.count >= Self.shortest && keys.contains { $0.hasPrefix(word) }
  }

  /// The minimum number of characters of a beginning: most places contain shorter texts anyway.
  static let shortest = 3

  /// The table as a module of the page, so that page and command line search by the same names.
  public static var module: String {
    var json = JSONWriter()
    json.raw("/** Countries and states: words of their names, and texts of places. */\n")
    json.raw("export default [")
    for (index, place) in all.enumerated() {
      json.raw(index > 0 ? ",\n" : "\n")
      json.raw(#"{"keys":"#)
      json.strings(place.keys.sorted())
      json.raw(#","texts":"#)
      json.strings(place.texts)
      json.raw("}")
    }
    json.raw("\n];\n")
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
