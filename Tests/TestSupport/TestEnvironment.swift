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

  /// The factor of the rounds of all random tests, and of those that kill processes: `OPENSWIFTDATA_TEST_TIMES`, which
  /// `make test SCALE=N` sets.
  package static let times = max(1, number("OPENSWIFTDATA_TEST_TIMES") ?? 1)

  /// Returns the number of rounds of a random test: the usual number as often as ``times`` says.
  package static func rounds<Number: BinaryInteger>(_ usual: Number) -> Number {
    usual * Number(times)
  }
}
