import Foundation
import SwiftDataCore

/// `values.contains(term)` for captured values.
enum Membership {
  static func condition(
    _ term: Term, in values: Any, _ translation: Translation
  ) throws(Untranslatable) -> Condition {
    var members = Members()
    try members.add(values, term, translation)
    let dialect = translation.dialect
    var result = Condition(false, in: dialect)
    if !members.values.isEmpty {
      let collation = term.kind.encoding == .decimal ? SQLCollation.decimal : .stored
      result = Condition(
        try dialect.member(term.fragment, of: members.values, by: collation), in: dialect)
    }
    for text in members.equivalent {
      result = result.or(try Equality.equal(term, text, in: translation))
    }
    guard term.isOptional else { return result }
    if result.constant == nil {
      result = Condition(term.fragment.appending(" IS NOT NULL"), in: dialect).and(result)
    }
    return members.hasNil ? Equality.isNil(term.fragment, in: dialect).or(result) : result
  }

  private struct Members {
    var values: [SQLValue] = []
    /// Strings that are equal to strings with other bytes.
    var equivalent: [String] = []
    var hasNil = false

    mutating func add(
      _ captured: Any, _ term: Term, _ translation: Translation
    ) throws(Untranslatable) {
      switch captured {
      case let numbers as [Int] where term.kind == .integer:
        values = numbers.map { .integer(Int64($0)) }
      case let texts as [String] where term.kind == .text: for text in texts { add(text: text) }
      case let texts as Set<String> where term.kind == .text: for text in texts { add(text: text) }
      case let sequence as any Sequence: try add(sequence: sequence, term, translation)
      default: throw Untranslatable("a captured \(type(of: captured)) has no list of values")
      }
    }

    mutating func add(text: String) {
      if TextConstant.hasUniqueEncoding(text) {
        values.append(.text(text))
      } else {
        equivalent.append(text)
      }
    }

    mutating func add(
      sequence: some Sequence, _ term: Term, _ translation: Translation
    ) throws(Untranslatable) {
      for element in sequence {
        if term.kind.encoding == .reference {
          guard let unwrapped = ConstantEncoding.unwrap(element) else { hasNil = true; continue }
          guard let identifier = unwrapped as? PersistentIdentifier else {
            throw Untranslatable("a captured \(type(of: unwrapped)) is no identifier")
          }
          let rowID = try Identity.rowID(of: identifier, in: translation, entity: term.entity)
          if let rowID { values.append(.integer(rowID)) }
          continue
        }
        // Stored URLs are absolute, and URLs with different bases differ.
        if term.kind.encoding == .url, let url = ConstantEncoding.unwrap(element) as? URL,
          url.baseURL != nil
        {
          continue
        }
        let value = try ConstantEncoding.encode(element, as: term.kind)
        switch value {
        case .null: hasNil = true
        case .text where term.kind.hasNaN: break
        case .text(let text) where term.kind.encoding == .text && !term.kind.isEnumeration:
          add(text: text)
        default: values.append(value)
        }
      }
    }
  }
}
