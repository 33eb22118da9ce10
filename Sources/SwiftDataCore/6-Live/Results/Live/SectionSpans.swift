/// The sections of a list: their titles, and the number of the list's models in each.
struct SectionSpans: Sendable {
  private(set) var titles: [String] = []
  private(set) var counts: [Int] = []
  /// Whether every title occurs once. A title occurs again when the order considers different titles equal.
  private(set) var areTitlesUnique = true
  private var sectionsByTitle: [String: Int] = [:]
  private var lastBytes: [UInt8]?

  init() {}

  /// - Parameter titles: The titles of the models in order.
  init(_ titles: some Sequence<String>) { for title in titles { append(title) } }

  /// The position of the first model of each section, followed by the number of all models.
  var starts: [Int] {
    var starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    return starts
  }

  /// Adds the next model's title.
  mutating func append(_ title: String) {
    if titles.last == title {
      counts[counts.count - 1] += 1
    } else {
      append(title, count: 1)
    }
  }

  /// Adds the next model's title as bytes. No string is made when they are those of the previous model.
  mutating func append(_ title: UnsafeBufferPointer<UInt8>) {
    let isSame = lastBytes?.elementsEqual(title) ?? false
    if isSame {
      counts[counts.count - 1] += 1
    } else {
      append(String(decoding: title, as: UTF8.self))
      lastBytes = Array(title)
    }
  }

  private mutating func append(_ title: String, count: Int) {
    if sectionsByTitle[title] != nil { areTitlesUnique = false }
    sectionsByTitle[title] = titles.count
    titles.append(title)
    counts.append(count)
  }

  /// The section of the model at each of the positions.
  func sections(at positions: [Int]) -> [Int] {
    let starts = starts
    return positions.map { position in
      BinarySearch.first(in: 0..<counts.count) { starts[$0 + 1] > position }
    }
  }

  /// The sections without the models at some positions.
  func removing(_ positions: [Int]) -> SectionSpans {
    var left = counts
    for section in sections(at: positions) where left.indices.contains(section) {
      left[section] -= 1
    }
    var spans = SectionSpans()
    for (title, count) in zip(titles, left) where count > 0 { spans.append(title, count: count) }
    return spans
  }

  /// The sections with models inserted.
  ///
  /// - Parameter insertions: The models in order: for each, the position in the current list in front of which it is
  ///   inserted, and its title.
  /// - Returns: nil when a model would be outside the section of its title.
  func inserting(_ insertions: [(position: Int, title: String)]) -> SectionSpans? {
    let starts = starts
    var grown = counts
    // New sections, by the place of the section in front of which they are inserted.
    var made: [Int: [(title: String, count: Int)]] = [:]
    var last = 0
    for (position, title) in insertions {
      let slot: Int
      if let place = sectionsByTitle[title] {
        guard starts[place] <= position, position <= starts[place + 1] else { return nil }
        grown[place] += 1
        slot = 2 * place + 1
      } else {
        let place = BinarySearch.first(in: 0..<counts.count) { starts[$0] >= position }
        guard starts[place] == position else { return nil }
        if let last = made[place]?.indices.last, made[place]?[last].title == title {
          made[place]?[last].count += 1
        } else {
          made[place, default: []].append((title, 1))
        }
        slot = 2 * place
      }
      guard slot >= last else { return nil }
      last = slot
    }
    var spans = SectionSpans()
    for place in 0...counts.count {
      for section in made[place] ?? [] { spans.append(section.title, count: section.count) }
      if place < counts.count { spans.append(titles[place], count: grown[place]) }
    }
    return spans.areTitlesUnique ? spans : nil
  }
}
