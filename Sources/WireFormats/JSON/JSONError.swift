import Foundation

/// The error of text that isn't JSON (RFC 8259), or isn't the value that was asked for, with its place.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expected token or value at the place of an error.
  ///
  /// One byte, so that throwing it costs no more than returning; the place is added where the error is caught.
  public enum Reason: UInt8, LocalizedError, Hashable, Sendable {
    /// The expected part: a value, a word, or a kind of value.
    case value, `true`, `false`, null, text, object, array
    /// The expected part of an object or array, or the violated rule of its structure.
    case memberName, colon, uniqueName, endOfObject, endOfArray, endOfDocument, depth
    /// The expected or violated part of a text.
    case utf8, noControlCharacter, endOfText, escape, hexadecimalDigits, lowSurrogate, character
    /// The expected or violated part of a number.
    case digit, noLeadingZero, smallerNumber

    /// The expectation as a noun phrase.
    public var description: String {
      switch self {
      case .value: "a value"
      case .true: "true"
      case .false: "false"
      case .null: "null"
      case .text: "a text"
      case .object: "an object"
      case .array: "a list"
      case .memberName: "a member's name"
      case .colon: "a colon"
      case .uniqueName: "each name once"
      case .endOfObject: "the end of the object"
      case .endOfArray: "the end of the list"
      case .endOfDocument: "the end"
      case .depth: "fewer levels"
      case .utf8: "UTF-8"
      case .noControlCharacter: "no control character"
      case .endOfText: "the end of the text"
      case .escape: "an escape"
      case .hexadecimalDigits: "four hexadecimal digits"
      case .lowSurrogate: "the second half of a pair"
      case .character: "a character"
      case .digit: "a digit"
      case .noLeadingZero: "no leading zero"
      case .smallerNumber: "a smaller number"
      }
    }

    /// The error as a sentence, for `localizedDescription`.
    public var errorDescription: String? { "no JSON: expected \(description)" }
  }

  /// The place of the error, in bytes from the start of the document.
  public let offset: Int
  /// The expectation that isn't met there.
  public let reason: Reason
  /// The number of arrays and objects that may be open at the same time.
  public let maximumDepth: Int

  package init(offset: Int, _ reason: Reason, maximumDepth: Int) {
    self.offset = offset
    self.reason = reason
    self.maximumDepth = maximumDepth
  }

  public var description: String {
    let expected = reason == .depth ? "at most \(maximumDepth) levels" : reason.description
    return "no JSON at byte \(offset): expected \(expected)"
  }
}

extension JSONError.Reason: CustomStringConvertible {}

extension JSONError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
