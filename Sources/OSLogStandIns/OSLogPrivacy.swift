/// Whether a value in a log message is shown; corresponds to Apple's `OSLogPrivacy`.
public struct OSLogPrivacy: Hashable, Sendable {
  /// The replacement of a hidden value.
  public enum Mask: Hashable, Sendable {
    /// A hash, the same for equal values in one run of the program.
    case hash
    /// The word `<private>`.
    case none
  }

  enum Visibility: Hashable, Sendable {
    case automatic, visible, hidden
  }

  let visibility: Visibility
  let mask: Mask

  /// Numbers and Boolean values are shown, texts and objects hidden.
  public static let auto = OSLogPrivacy(visibility: .automatic, mask: .none)
  /// Always shown.
  public static let `public` = OSLogPrivacy(visibility: .visible, mask: .none)
  /// Always hidden.
  public static let `private` = OSLogPrivacy(visibility: .hidden, mask: .none)
  /// Always hidden, like ``private``.
  public static let sensitive = OSLogPrivacy(visibility: .hidden, mask: .none)

  /// Shown or hidden by the kind of value; a hidden value is replaced by the mask.
  public static func auto(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(visibility: .automatic, mask: mask)
  }

  /// Always hidden, replaced by the mask.
  public static func `private`(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(visibility: .hidden, mask: mask)
  }

  /// Always hidden, replaced by the mask.
  public static func sensitive(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(visibility: .hidden, mask: mask)
  }

  /// Returns the text that is logged for a value.
  ///
  /// - Parameters:
  ///   - text: The value's own text.
  ///   - isScalar: Whether the value is a number or a Boolean value.
  func shown(_ text: String, isScalar: Bool) -> String {
    switch visibility {
    case .visible: return text
    case .automatic where isScalar: return text
    case .automatic, .hidden: break
    }
    guard mask == .hash else { return "<private>" }
    return "<mask.hash: \(String(UInt(bitPattern: text.hashValue), radix: 16))>"
  }
}
