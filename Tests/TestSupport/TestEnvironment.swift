import Foundation

/// The environment variables of tests, whose names begin with `OPENSWIFTDATA_TEST_`.
package enum TestEnvironment {
  /// Returns the value of a variable; nil if it isn't set.
  package static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// Returns the value of a variable; nil if it isn't set or no number.
  package static func number<Number: LosslessStringConvertible & Numeric>(
    _ name: String
  ) -> Number? {
    text(name).flatMap { Number($0) }
  }
}
