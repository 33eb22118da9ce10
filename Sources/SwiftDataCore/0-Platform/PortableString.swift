import Foundation

/// String operations with the same results in predicates evaluated in memory and in a store's SQL.
package enum PortableString {
  /// Whether `part` occurs in `text` as a run of characters. The result is that of `Collection.contains(_:)`, which the
  /// predicate's node calls.
  package static func contains(_ text: String, _ part: String) -> Bool {
    genericContains(text, part)
  }

  /// Uses the collection algorithm regardless of faster overloads of `String`, because these treat an empty part
  /// differently.
  private static func genericContains<Base: Collection, Part: Collection>(
    _ base: Base, _ part: Part
  ) -> Bool where Base.Element == Part.Element, Base.Element: Equatable {
    base.contains(part)
  }

  /// Whether `text` begins with the characters of `prefix`.
  package static func starts(_ text: String, with prefix: String) -> Bool {
    text.starts(with: prefix)
  }

  /// Compares in the order of `String`'s `<`: canonically equivalent texts are equal.
  ///
  /// In Swift 6.3 some different texts are neither less nor greater (`"e\u{301}"` and `"éa"`); they are ordered by
  /// their composed scalars, so that the order is total.
  package static func scalarCompare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    if lhs == rhs { return .orderedSame }
    if lhs < rhs { return .orderedAscending }
    if rhs < lhs { return .orderedDescending }
    let left = lhs.precomposedStringWithCanonicalMapping.unicodeScalars
    let right = rhs.precomposedStringWithCanonicalMapping.unicodeScalars
    return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
  }

  /// Compares two ASCII texts by their bytes; nil when one of them isn't ASCII.
  static func asciiCompare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> ComparisonResult? {
    guard LocalizedOrder.isASCII(left), LocalizedOrder.isASCII(right) else { return nil }
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index] ? .orderedAscending : .orderedDescending
    }
    if left.count == right.count { return .orderedSame }
    return left.count < right.count ? .orderedAscending : .orderedDescending
  }

  /// Compares without regard to case.
  package static func caseInsensitiveCompare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    if let result = asciiCaseInsensitiveCompare(lhs, rhs) { return result }
    return scalarCompare(lhs.lowercased(), rhs.lowercased())
  }

  private static func asciiCaseInsensitiveCompare(_ lhs: String, _ rhs: String) -> ComparisonResult?
  {
    var left = lhs.utf8.makeIterator()
    var right = rhs.utf8.makeIterator()
    var result = ComparisonResult.orderedSame
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil): return result
      case (nil, let byte?):
        guard byte < 0x80, isASCII(&right) else { return nil }
        return result == .orderedSame ? .orderedAscending : result
      case (let byte?, nil):
        guard byte < 0x80, isASCII(&left) else { return nil }
        return result == .orderedSame ? .orderedDescending : result
      case (let first?, let second?):
        guard first < 0x80, second < 0x80 else { return nil }
        if result == .orderedSame {
          let (a, b) = (lower(first), lower(second))
          if a != b { result = a < b ? .orderedAscending : .orderedDescending }
        }
      }
    }
  }

  private static func isASCII(_ bytes: inout String.UTF8View.Iterator) -> Bool {
    while let byte = bytes.next() {
      if byte >= 0x80 { return false }
    }
    return true
  }

  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Compares in the order of a list for display, treating digits as characters.
  package static func localizedCompare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    LocalizedOrder.compare(lhs, rhs, numeric: false)
  }

  /// Whether `part` occurs in `text` when case and diacritics are ignored, as in a search field. An empty part occurs
  /// nowhere, as in Foundation.
  package static func localizedStandardContains(_ text: String, _ part: String) -> Bool {
    if part.isEmpty { return false }
    if let answer = asciiContains(text, part) { return answer }
    let folded = fold(text)
    return folded.range(of: fold(part), options: .literal) != nil
  }

  package static func fold(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// Returns the form of a text for a text index: the folded text, with NUL, at which tokenizers stop, replaced.
  package static func searchKey(_ text: String) -> String {
    let folded = fold(text)
    guard folded.utf8.contains(0) else { return folded }
    return String(
      String.UnicodeScalarView(folded.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }

  /// The folding of a sample of scripts by ``fold(_:)``, which distinguishes one folding from another.
  package static var foldingSample: String {
    fold("AZaz ÀÉÎõÜÇñßÆØŁİıŞğŒŽ ΑΆΩώς ЖЁЙі ՀԵ אבּ عَرَبِي हिंदी ไทย 한글 かガｶﾞ ＡＢｃ ﬁ Ⅷ ① e\u{301} K Å")
  }

  /// Returns the result for ASCII texts; nil when one of the two isn't ASCII.
  private static func asciiContains(_ text: String, _ part: String) -> Bool? {
    var text = text
    var part = part
    return text.withUTF8 { bytes in
      part.withUTF8 { needle in
        guard needle.allSatisfy({ $0 < 0x80 }), bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard needle.count <= bytes.count else { return false }
        let first = lower(needle[0])
        for start in 0...(bytes.count - needle.count) where lower(bytes[start]) == first {
          var index = 1
          while index < needle.count, lower(bytes[start + index]) == lower(needle[index]) {
            index += 1
          }
          if index == needle.count { return true }
        }
        return false
      }
    }
  }
}
