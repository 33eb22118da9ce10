import Foundation
import WireFormats

/// The populated places that `near:tokyo` of a search can name: GeoNames' with 15,000 inhabitants or more, and those on
/// the map, capitals and cities also by their names in other languages (`scripts/make-map-names.py`, which describes
/// the file).
///
/// The file is searched as it is, by halving: the places are in the order of their keys' bytes.
public struct Gazetteer: Sendable {
  /// A populated place.
  public struct Place: Hashable, Sendable {
    /// The name, such as `Paris`.
    public var name: String
    /// The country, or the state of the USA.
    public var region: String
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// The name with the region, such as `Paris, Texas`.
    public var fullName: String { region == name ? name : "\(name), \(region)" }
  }

  /// A country or a state of the USA.
  private struct Region {
    var code: String
    var name: String
    /// The folded texts that mean it.
    var keys: [String]
  }

  /// The places of this program.
  public static let own = Gazetteer(
    Bundle.module.url(forResource: "places.txt", withExtension: "gz"))

  /// The reason why there are no places; nil when there are.
  let failure: String?
  /// A line feed, the regions, and the places from `firstPlace` on, each with a line feed.
  private let text: Data
  private let firstPlace: Data.Index
  private let regions: [String: Region]

  /// The maximum size of the file when expanded, in bytes.
  private static let longest = 16 << 20

  /// - Parameter file: A file in the form of `places.txt.gz`. Without it there are no places, which
  ///   ``failure`` tells.
  init(_ file: URL?) {
    var text = Data("\n".utf8)
    do {
      if let file {
        let bytes = try Array(Data(contentsOf: file))
        text += try GzipDecoder.expand(bytes, limit: Self.longest)
      }
      failure = file == nil ? "it is missing" : nil
    } catch {
      failure = "\(error)"
    }
    self.text = text
    (regions, firstPlace) = Self.regions(self.text)
  }

  /// The names of the file's regions by their codes, and the place behind them; the first lines have them.
  private static func regions(_ text: Data) -> ([String: Region], Data.Index) {
    var regions: [String: Region] = [:]
    var rest = text.dropFirst()
    while rest.first == UInt8(ascii: "="), let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let fields = fields(rest[rest.startIndex + 1..<end])
      rest = rest[(end + 1)...]
      guard fields.count == 3 else { continue }
      var keys = [fields[0], fields[1], fields[2]].map(key)
      if fields[0] == "US" { keys += ["america", "u s", "u s a"] }
      regions[fields[0]] = Region(code: fields[0], name: fields[2], keys: keys)
    }
    return (regions, rest.startIndex)
  }

  private static func fields(_ line: Data) -> [String] {
    line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the most important place with a name.
  /// - Parameter text: A name in any case, with or without accents, spaces as such or as `_` or `-`; behind a comma
  ///   perhaps a country or a state of the USA, by name or code. "new york" finds "New York City", too.
  public func place(_ text: String) -> Place? {
    let parts = text.split(separator: ",", maxSplits: 1).map { Self.key(String($0)) }
    guard let name = parts.first, !name.isEmpty else { return nil }
    let region = parts.count > 1 ? parts[1] : ""
    for key in [name, name + " city"] {
      if let place = places(key).first(where: { isMeant($0.code, by: region) }) {
        return place.place
      }
    }
    // A few names have a comma, as "Misato, Saitama".
    return region.isEmpty ? nil : places(Self.key(text)).first?.place
  }

  /// Returns the most important place with a name, or the error of a search that asks for its surroundings.
  public func answer(to name: String) -> Result<Place, SearchError> {
    place(name).map { .success($0) } ?? .failure(SearchTerm.unknown(name, "near:\(name)", self))
  }

  /// Returns names that begin like a text, with their spaces as `_`.
  func suggestions(_ text: String, most: Int = 3) -> [String] {
    let name = Self.key(text.split(separator: ",").first.map(String.init) ?? "")
    for length in stride(from: name.count, to: 1, by: -1) {
      let found = names(beginning: String(name.prefix(length)), most: most)
      if !found.isEmpty { return found }
    }
    return []
  }

  private func names(beginning text: String, most: Int) -> [String] {
    var names: [String] = []
    var at = lowerBound(text)
    while names.count < most, at < self.text.endIndex {
      let line = line(at: at)
      guard line.starts(with: text.utf8) else { break }
      let fields = Self.fields(line)
      let name = fields[0].replacingOccurrences(of: " ", with: "_")
      // Not the lines of names in other languages.
      let isOwn = fields.count > 1 && Self.key(fields[1]) == fields[0]
      if isOwn, !names.contains(name) { names.append(name) }
      at = line.endIndex + 1
    }
    return names
  }

  private func isMeant(_ code: String, by region: String) -> Bool {
    guard !region.isEmpty else { return true }
    let codes = code.hasPrefix("US-") ? [code, "US"] : [code]
    return codes.contains { code in
      regions[code]?.keys.contains { key in
        key == region || (region.count >= PlaceName.shortest && key.hasPrefix(region))
      } ?? false
    }
  }

  /// The places with a key, the most important first.
  private func places(_ key: String) -> [(code: String, place: Place)] {
    var places: [(code: String, place: Place)] = []
    var at = lowerBound(key + "\t")
    while at < text.endIndex {
      let line = line(at: at)
      let fields = Self.fields(line)
      guard fields.count == 5, fields[0] == key, let latitude = Double(fields[3]),
        let longitude = Double(fields[4])
      else { break }
      let place = Place(
        name: fields[1], region: regions[fields[2]]?.name ?? "", latitude: latitude,
        longitude: longitude)
      places.append((fields[2], place))
      at = line.endIndex + 1
    }
    return places
  }

  /// The start of the first place's line that isn't before some text, in the order of bytes; the end when there is
  /// none.
  private func lowerBound(_ start: String) -> Data.Index {
    // Both are starts of lines, or the end.
    var (low, high) = (firstPlace, text.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      let lineFeed = text[low..<middle].lastIndex(of: UInt8(ascii: "\n"))
      let line = line(at: lineFeed.map { $0 + 1 } ?? low)
      if line.lexicographicallyPrecedes(start.utf8) {
        low = min(line.endIndex + 1, text.endIndex)
      } else {
        high = line.startIndex
      }
    }
    return low
  }

  private func line(at start: Data.Index) -> Data {
    text[start..<(text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex)]
  }

  /// The form in which names are searched for: lower case without accents, and single spaces for everything that is
  /// neither letter nor digit.
  static func key(_ text: String) -> String {
    var key = ""
    for letter in SearchWord.folded(text).unicodeScalars {
      if let plain = letters[letter] {
        key += plain
      } else if letter.properties.isAlphabetic || letter.properties.numericType != nil {
        key.unicodeScalars.append(letter)
      } else if letter.properties.generalCategory != .nonspacingMark {
        key += " "
      }
    }
    return key.split(separator: " ").joined(separator: " ")
  }

  /// Letters that have no form without an accent, and marks that a key leaves out.
  private static let letters: [Unicode.Scalar: String] = [
    "ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th",
    "ə": "e", "'": "", "’": "", "‘": "", "ʻ": "", "ʼ": "", "`": "", "´": "",
  ]
}
