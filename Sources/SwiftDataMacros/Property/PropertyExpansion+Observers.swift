import SwiftSyntax

/// `willSet` and `didSet` of a persisted property: the written bodies run from the setter.
extension PropertyExpansion {
  /// Each body becomes a closure that is called on the spot, so that `return` leaves the observer
  /// only and names inside it mean what they meant. As with a plain stored property, an observer
  /// that sets its own property doesn't start the observers again.
  var observedSetter: AccessorDeclSyntax {
    let index = property.index
    let storage = property.storageName
    var lines = [
      "let _$outermost = _$observing.insert(\(index)).inserted",
      "defer { if _$outermost { _$observing.remove(\(index)) } }",
    ]
    if let observer = property.binding.observer(.willSet) {
      lines += call(of: observer, parameter: "newValue", with: "newValue")
    }
    // A body that doesn't mention the old value must not make it be loaded.
    let didSet = property.binding.observer(.didSet)
    let readsOldValue = didSet.map { $0.mentions($0.parameterName ?? "oldValue") } ?? false
    lines.append(
      readsOldValue
        ? "let _$old = \(storage).value ?? _$state.fault(self, \(index))"
        : "let _$old = \(storage).value")
    lines += [
      "_$state.willChange(self, \(index))",
      "_$state.withMutation(of: self, keyPath: \\.\(property.identifier)) { "
        + "\(storage).value = newValue }",
      "_$state.didChange(self, \(index), from: _$old, to: newValue)",
    ]
    if let didSet {
      lines += call(of: didSet, parameter: readsOldValue ? "oldValue" : nil, with: "_$old")
    }
    return """
      set {
      \(raw: lines.indentedLines)
      }
      """
  }

  private func call(
    of observer: AccessorDeclSyntax, parameter: String?, with argument: String
  ) -> [String] {
    let name = observer.parameterName ?? parameter
    let statements = observer.body?.statements.description ?? ""
    guard let parameter, let name else {
      return ["if _$outermost { { () -> Swift.Void in\n\(statements)\n}() }"]
    }
    let label = parameter == name ? parameter : name
    return [
      "if _$outermost { { (\(label)) -> Swift.Void in\n_ = \(label)\n\(statements)\n}(\(argument)) }"
    ]
  }
}

extension AccessorDeclSyntax {
  /// The name in parentheses behind `willSet` or `didSet`.
  fileprivate var parameterName: String? {
    parameters?.name.text
  }

  /// Whether the body has the name as a token.
  fileprivate func mentions(_ name: String) -> Bool {
    body?.tokens(viewMode: .sourceAccurate).contains { $0.text == name } ?? false
  }
}
