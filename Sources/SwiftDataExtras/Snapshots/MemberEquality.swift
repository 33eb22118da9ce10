import SwiftDataCore

/// Compares values that have neither `==` nor a stored form.
enum MemberEquality {
  /// The stack, in bytes, without which members aren't compared.
  private static let minimumStackRoom = 64 << 10

  /// Whether two values are certainly equal, member by member.
  ///
  /// - Returns: False also for values that are nested deeper than this thread's stack has room for.
  static func holds(_ left: Any, _ right: Any) -> Bool {
    guard type(of: left) == type(of: right), ThreadStack.room > minimumStackRoom else {
      return false
    }
    if let left = left as? any Equatable { return isEqual(left, right) }
    let (one, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
    let containers: [Mirror.DisplayStyle?] = [.collection, .set, .dictionary, .optional]
    if !containers.contains(one.displayStyle) {
      // An instance of a class is more than its members, and a mirror of a type's own may leave members out.
      let isOpaque = one.displayStyle == .class || left is any CustomReflectable
      if isOpaque || one.children.isEmpty { return hasSameBits(left, right) }
    }
    guard one.children.count == other.children.count else { return false }
    return zip(one.children, other.children).allSatisfy { member, counterpart in
      member.label == counterpart.label && holds(member.value, counterpart.value)
    }
  }

  private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    left == right as? Value
  }

  private static func hasSameBits(_ left: Any, _ right: Any) -> Bool {
    func open<Value>(_ left: Value) -> Bool {
      guard let right = right as? Value else { return false }
      return withUnsafeBytes(of: left) { left in
        withUnsafeBytes(of: right) { left.elementsEqual($0) }
      }
    }
    return _openExistential(left, do: open)
  }
}
