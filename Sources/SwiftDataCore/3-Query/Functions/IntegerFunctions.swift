/// A function of integers for a store's SQL: it returns NULL for NULL, and fails where there is no result.
package struct IntegerFunction: Sendable {
  package let name: String
  package let argumentCount: Int
  /// The body. It takes ``argumentCount`` numbers.
  package let body: @Sendable ([Int64]) -> Int64?
}

/// The arithmetic of predicates, which fails where Swift's has no result.
package enum IntegerFunctions {
  /// Returns the first argument if it lies between the second and the third; otherwise it fails.
  package static let within = "osd_within"

  /// The prefix of the error's message.
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

  /// Returns the error of a statement that failed with `message`; nil when the failure isn't arithmetic.
  package static func error(of message: String) -> SwiftDataError? {
    message.hasPrefix(failurePrefix) ? .evaluationFailure(IntegerOperation.failure) : nil
  }
}
