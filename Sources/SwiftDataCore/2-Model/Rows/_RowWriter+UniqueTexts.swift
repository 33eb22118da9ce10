import Foundation

/// Unique texts are stored in one of the forms that Swift considers equal: composed, normalization form C
/// (https://www.unicode.org/reports/tr15/). The index of a database compares bytes, and an index with a custom
/// collation would keep other programs from writing to the file.
extension _RowWriter {
  /// Converts the unique texts of a row to the stored form.
  ///
  /// - Parameter start: The position of the row's first cell.
  package mutating func composeUniqueTexts(at start: Int) {
    for column in plan.uniqueTexts { compose(start + column) }
  }

  /// Converts the unique texts of some columns, whose cells follow each other.
  ///
  /// - Parameters:
  ///   - columns: The positions of the columns in the entity.
  ///   - start: The position of the first column's cell.
  package mutating func composeUniqueTexts(ofColumns columns: some Sequence<Int>, at start: Int) {
    for (offset, column) in columns.enumerated() where plan.uniqueTexts.contains(column) {
      compose(start + offset)
    }
  }

  private mutating func compose(_ position: Int) {
    guard cells.indices.contains(position), cells[position].kind == .text else { return }
    let cell = cells[position]
    let range = Int(cell.bits)..<Int(cell.bits) + cell.count
    let isComposed = arena.withUnsafeBufferPointer { arena in
      CanonicalText.isComposed(UnsafeBufferPointer(rebasing: arena[range]))
    }
    if isComposed { return }
    var text = CanonicalText.composed(String(decoding: arena[range], as: UTF8.self))
    let first = arena.count
    text.withUTF8 { arena.append(contentsOf: $0) }
    cells[position] = _Cell(kind: .text, bits: Int64(first), count: arena.count - first)
  }
}

/// Composes texts, and recognises composed ones, as nearly all texts are.
package enum CanonicalText {
  /// The text in normalization form C; nil when it is in that form.
  package static func change(of text: String) -> String? {
    var text = text
    if text.withUTF8(isComposed) { return nil }
    let composed = composed(text)
    return composed.utf8.elementsEqual(text.utf8) ? nil : composed
  }

  /// The text in normalization form C. Foundation's method doesn't compose a Hangul syllable without a final consonant
  /// and a final consonant behind it (The Unicode Standard, section 3.12, "Hangul Syllable Composition").
  static func composed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
      if let last = scalars.last?.value, (0xAC00..<0xD7A4).contains(last),
        (last - 0xAC00).isMultiple(of: 28), (0x11A8...0x11C2).contains(scalar.value),
        let syllable = Unicode.Scalar(last + scalar.value - 0x11A7)
      {
        scalars.removeLast()
        scalars.append(syllable)
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// Whether bytes of UTF-8 are certainly composed. Every scalar below U+0300 remains unchanged and doesn't combine
  /// with a preceding one, and so do the Cyrillic letters up to U+047F, the unified ideographs from U+4000 on and the
  /// syllables from U+B000 to U+CFFF (DerivedNormalizationProps.txt, `NFC_QC`, and canonical combining class 0).
  static func isComposed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in bytes where byte >= 0xCC {
      switch byte {
      case 0xD0, 0xD1, 0xE4...0xE9, 0xEB, 0xEC: continue
      default: return false
      }
    }
    return true
  }
}
