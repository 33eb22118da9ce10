/// The merge of texts by lines, for ``TextMerge``.
struct LineMerge {
  typealias Bytes = ArraySlice<UInt8>

  private(set) var hasOverlaps = false
  private var lines: [Bytes] = []

  var text: String {
    String(decoding: Array(lines.joined(separator: [Self.lineFeed])), as: UTF8.self)
  }

  private static let lineFeed = UInt8(ascii: "\n")

  init(base: String, mine: String, theirs: String) {
    let sides = [base, mine, theirs].map { text in
      // An empty text has no line, so that a first line is an insertion.
      text.isEmpty
        ? [] : Array(text.utf8).split(separator: Self.lineFeed, omittingEmptySubsequences: false)
    }
    let merge = TokenMerge(base: sides[0], mine: sides[1], theirs: sides[2])
    for part in merge.parts {
      switch part {
      case .merged(let tokens): lines += tokens
      case .overlap(let base, let mine, let theirs): overlap(base, mine, theirs)
      }
    }
  }

  /// Adds the result of lines that both sides have edited.
  private mutating func overlap(_ base: [Bytes], _ mine: [Bytes], _ theirs: [Bytes]) {
    if let merged = WordMerge.merge(base: base, mine: mine, theirs: theirs) {
      lines += merged
      return
    }
    if !base.isEmpty { hasOverlaps = true }
    var (mine, theirs) = (mine[...], theirs[...])
    // Lines that both sides have at the beginning or end are added once.
    while let line = mine.first, line == theirs.first {
      lines.append(line)
      (mine, theirs) = (mine.dropFirst(), theirs.dropFirst())
    }
    var ending: [Bytes] = []
    while let line = mine.last, line == theirs.last {
      ending.append(line)
      (mine, theirs) = (mine.dropLast(), theirs.dropLast())
    }
    let isFirst = mine.lexicographicallyPrecedes(theirs) { $0.lexicographicallyPrecedes($1) }
    lines += isFirst ? mine + theirs : theirs + mine
    lines += ending.reversed()
  }
}

/// The merge of lines that both sides have edited, by words.
enum WordMerge {
  /// The size of the texts, in bytes, up to which words are compared.
  private static let maximumSize = 16_384

  /// Returns the merged lines; nil when the edits can't be told apart.
  static func merge(
    base: [LineMerge.Bytes], mine: [LineMerge.Bytes], theirs: [LineMerge.Bytes]
  ) -> [LineMerge.Bytes]? {
    guard !base.isEmpty, !mine.isEmpty, !theirs.isEmpty,
      (base + mine + theirs).reduce(0, { $0 + $1.count }) <= maximumSize
    else { return nil }
    let sides = [base, mine, theirs].map(words)
    let merge = TokenMerge(
      base: sides[0], mine: sides[1], theirs: sides[2], touchingEditsOverlap: true)
    var merged: [UInt8] = []
    for part in merge.parts {
      guard case .merged(let tokens) = part else { return nil }
      for token in tokens { merged += token }
    }
    // A line that one side has written anew has nothing into which the other side's words fit.
    let count = sides[0].count { !isSpace($0) }
    for kept in merge.kept {
      guard kept.count(where: { !isSpace(sides[0][$0]) }) * 2 >= count else { return nil }
    }
    return merged.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  /// Returns the words of lines, the spaces between them, and each other character.
  private static func words(_ lines: [LineMerge.Bytes]) -> [LineMerge.Bytes] {
    let text = String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    var words: [LineMerge.Bytes] = []
    var last: Kind?
    for character in text {
      let kind = Kind(character)
      if kind == last, kind != .other {
        words[words.count - 1] += character.utf8
      } else {
        words.append(LineMerge.Bytes(character.utf8))
      }
      last = kind
    }
    return words
  }

  private static func isSpace(_ word: LineMerge.Bytes) -> Bool {
    word.allSatisfy {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n")
    }
  }

  private enum Kind {
    case word, space, other

    init(_ character: Character) {
      if character.isLetter || character.isNumber {
        self = .word
      } else {
        self = character == " " || character == "\t" ? .space : .other
      }
    }
  }
}
