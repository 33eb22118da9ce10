import Foundation

extension Checked {
  /// Uses `operation` for integers and `node` for other numbers.
  init(
    _ node: some PredicateExpression<Output>, _ operation: IntegerOperation,
    _ left: Checked<Output>, _ right: Checked<Output>
  ) {
    guard Output.self is any FixedWidthInteger.Type else {
      self.init(node, over: left.isGuarded, right.isGuarded)
      return
    }
    self.init(isGuarded: true) { bindings in
      try operation.checked(try left.evaluate(bindings), try right.evaluate(bindings))
    }
  }
}
