/// A function of integers as a store's SQL knows it: NULL of NULL, and an error without a result.
package struct IntegerFunction: Sendable {
  package let name: String
  package let argumentCount: Int
  /// The body. It takes as many numbers as ``argumentCount`` says.
  package let body: @Sendable ([Int64]) -> Int64?
}

/// The arithmetic of predicates, with an error where Swift's has no result.
package enum IntegerFunctions {
  /// The first argument where it lies between the second and the third; an error elsewhere.
  package static let within = "osd_within"

  /// What the message of the error begins with.
  package static let failurePrefix = "osd: "
  package static var failure: String { failurePrefix + IntegerOperation.failure }

  package static let all: [IntegerFunction] =
    IntegerOperation.allCases.map { operation in
      IntegerFunction(name: operation.function, argumentCount: 2) {
        operation.result($0[0], $0[1])
      }
    } + [
      IntegerFunction(name: within, argumentCount: 3) {
        $0[0] >= $0[1] && $0[0] <= $0[2] ? $0[0] : nil
      }
    ]

  /// What a statement that failed with `message` means; nil when arithmetic isn't to blame.
  package static func error(of message: String) -> SwiftDataError? {
    message.hasPrefix(failurePrefix) ? .evaluationFailure(IntegerOperation.failure) : nil
  }
}
