#if !canImport(Darwin)
  import Foundation

  // Foundation has these comparators on Apple's systems only, and no interface to create them elsewhere.
  extension String.StandardComparator {
    /// The order of lists for display: numbers inside texts count as numbers, then letters without regard to diacritics
    /// and case. In a fetch this is the order of ``localizedStandardCompare(_:_:)``; `sorted(using:)` of an array
    /// outside of a fetch compares numbers and scalars only.
    public static var localizedStandard: String.StandardComparator { Self.localized(options: 64) }

    /// The order of lists for display, treating digits as characters.
    public static var localized: String.StandardComparator { Self.localized(options: 0) }

    /// Creates a comparator by writing Foundation's own representation: `CompareOptions` (64 is `numeric`), then
    /// whether it is localized. Where Foundation's layout differs, the lexical order is used instead.
    private static func localized(options: UInt) -> String.StandardComparator {
      var comparator = String.StandardComparator.lexical
      guard MemoryLayout<String.StandardComparator>.size == 10 else { return comparator }
      withUnsafeMutableBytes(of: &comparator) { bytes in
        guard bytes.load(as: UInt.self) == 0, bytes[8] == 0 else { return }
        bytes.storeBytes(of: options, as: UInt.self)
        bytes[8] = 1
      }
      return comparator
    }
  }
#endif
