#if !OSD_PLAIN_LISTS
  import CSwiftRuntime
#endif

// Arrays of models, compared as words. Each change of a list that grows element by element compares all of it, so no
// element is retained or hashed.

#if OSD_PLAIN_LISTS
  extension Array where Element: PersistentModel {
    /// The number of equal elements at the beginning of both lists, and of equal elements at the end of the remaining
    /// parts.
    func commonEnds(with other: [Element]) -> (start: Int, end: Int) {
      let shorter = Swift.min(count, other.count)
      let start = commonCount(with: other, at: 0, 0, count: shorter)
      var end = 0
      while start + end < shorter, self[count - 1 - end] === other[other.count - 1 - end] {
        end += 1
      }
      return (start, end)
    }

    /// Returns the length of the common run of models in `self` from `place` and in `other` from `otherPlace`, at most
    /// `count`.
    func commonCount(
      with other: [Element], at place: Int, _ otherPlace: Int, count: Int
    ) -> Int {
      var same = 0
      while same < count, self[place + same] === other[otherPlace + same] { same += 1 }
      return same
    }

    func occurrences(of model: AnyObject) -> Int { self.count { $0 === model } }

    func position(of model: AnyObject, in places: Range<Int>) -> Int? {
      places.first { self[$0] === model }
    }

    /// Whether a change of the list doesn't copy it, as far as that is known.
    mutating func isUnshared() -> Bool { true }
  }

  extension PersistentModel {
    /// An array of models that were collected as plain references.
    static func list(of models: [AnyObject]) -> [Self] { models.compactMap { $0 as? Self } }
  }
#else
  extension Array where Element: PersistentModel {
    /// The number of equal elements at the beginning of both lists, and of equal elements at the end of the remaining
    /// parts. Most changes add or remove a few models at one position.
    func commonEnds(with other: [Element]) -> (start: Int, end: Int) {
      withUnsafeBytes { mine in
        other.withUnsafeBytes { theirs in
          guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return (0, 0) }
          let start = swift_data_common_prefix(mine, theirs, Swift.min(count, other.count))
          let rest = Swift.min(count, other.count) - start
          if rest == 0 { return (start, 0) }
          let width = MemoryLayout<UInt>.stride
          return (
            start,
            swift_data_common_suffix(mine + count * width, theirs + other.count * width, rest)
          )
        }
      }
    }

    /// Returns the length of the common run of models in `self` from `place` and in `other` from `otherPlace`, at most
    /// `count`.
    func commonCount(
      with other: [Element], at place: Int, _ otherPlace: Int, count: Int
    ) -> Int {
      withUnsafeBytes { mine in
        other.withUnsafeBytes { theirs in
          guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return 0 }
          let width = MemoryLayout<UInt>.stride
          return swift_data_common_prefix(mine + place * width, theirs + otherPlace * width, count)
        }
      }
    }

    func occurrences(of model: AnyObject) -> Int {
      withUnsafeBytes { words in
        words.baseAddress.map {
          swift_data_count_of_word($0, count, UInt(bitPattern: ObjectIdentifier(model)))
        } ?? 0
      }
    }

    func position(of model: AnyObject, in places: Range<Int>) -> Int? {
      let offset = withUnsafeBytes { words in
        words.baseAddress.map {
          swift_data_place_of_word(
            $0 + places.lowerBound * MemoryLayout<UInt>.stride, places.count,
            UInt(bitPattern: ObjectIdentifier(model)))
        } ?? 0
      }
      return offset < places.count ? places.lowerBound + offset : nil
    }

    /// Whether the list's buffer has no other owner, so that a change doesn't copy it.
    mutating func isUnshared() -> Bool {
      #if canImport(ObjectiveC)
        // The array may be backed by one of Foundation's arrays.
        return true
      #else
        return Swift.withUnsafeBytes(of: &self) {
          swift_isUniquelyReferenced_nonNull_native($0.load(as: UnsafeRawPointer.self))
        }
      #endif
    }
  }

  extension PersistentModel {
    /// An array of models that were collected as plain references. Code that is compiled once for all classes can fill
    /// such a list without using a type that it doesn't know; all arrays of references have the same layout.
    static func list(of models: [AnyObject]) -> [Self] { unsafeBitCast(models, to: [Self].self) }
  }
#endif

extension Array where Element: PersistentModel {
  /// Whether both lists have the same elements in the same order.
  func isSame(as other: [Element]) -> Bool {
    count == other.count && commonEnds(with: other).start == count
  }

  /// Makes the list equal to `other`, replacing only the part where they differ.
  mutating func follow(_ other: [Element]) {
    let (start, end) = commonEnds(with: other)
    replaceSubrange(start..<count - end, with: other[start..<other.count - end])
  }
}
