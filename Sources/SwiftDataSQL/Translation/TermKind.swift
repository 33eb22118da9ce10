import Foundation
import SwiftDataCore

/// The Swift meaning of a SQL value: the column's encoding, and the meaning of equality and order.
struct TermKind: Equatable {
  /// The encoding of the values.
  let encoding: ColumnKind
  /// Whether the Swift type is an enumeration stored by its raw value: equal when the bytes are
  /// equal, without an order that SQL could know.
  var isEnumeration = false
  /// Whether the Swift type is another `RawRepresentable`: equal when the raw values are equal,
  /// without a known order.
  var isRawValue = false
  /// Whether arithmetic rounds to 24 bits.
  var isFloat = false

  static let boolean = TermKind(encoding: .boolean)
  static let integer = TermKind(encoding: .integer)
  static let real = TermKind(encoding: .real)
  static let text = TermKind(encoding: .text)
  static let identifier = TermKind(encoding: .reference)

  init(encoding: ColumnKind) { self.encoding = encoding }

  /// The kind of a column of `encoding` whose Swift type is `type` or its optional.
  init(encoding: ColumnKind, type: any Any.Type) {
    self.encoding = encoding
    if encoding == .json { return }
    if type == Float.self || type == Float?.self { isFloat = true }
    let wrapped = PropertyShape.unwrapped(type).type
    guard !(wrapped is any _ColumnValue.Type), wrapped is any RawRepresentable.Type else { return }
    if TypeInspection.isEnumeration(wrapped) { isEnumeration = true } else { isRawValue = true }
  }

  /// Whether the values are numbers or NaN.
  var hasNaN: Bool { encoding == .real || encoding == .date }

  /// Whether the Swift type is declared by the program and stored by its raw value.
  var isOwnType: Bool { isEnumeration || isRawValue }

  /// The collation of the order of Swift's values.
  var collation: SQLCollation {
    switch encoding {
    case .text: .unicode
    case .decimal: .decimal
    default: .stored
    }
  }

  /// Whether the values are numbers that can be added.
  var isNumber: Bool {
    if isOwnType { return false }
    switch encoding {
    case .integer, .unsigned, .real, .decimal: return true
    default: return false
    }
  }

  /// Whether `<` of the Swift type is an order that SQL can reproduce.
  var isOrdered: Bool {
    if isOwnType { return false }
    switch encoding {
    case .integer, .unsigned, .real, .date, .text, .uuid, .decimal: return true
    case .boolean, .data, .url, .json, .reference, .presence: return false
    }
  }
}

enum TypeInspection {
  /// Whether `type` is an enumeration.
  static func isEnumeration(_ type: any Any.Type) -> Bool {
    TypeMetadata.kind(of: type) == .enumeration
  }

  /// Whether `type` is an optional of an optional, whose two kinds of nil one SQL value can't
  /// distinguish.
  static func isNestedOptional(_ type: any Any.Type) -> Bool {
    guard let optional = type as? any OptionalType.Type else { return false }
    return optional.wrappedType is any OptionalType.Type
  }
}
