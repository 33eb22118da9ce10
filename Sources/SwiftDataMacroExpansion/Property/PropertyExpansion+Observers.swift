import SwiftSyntax

/// `willSet` and `didSet` of a persisted property: the setter runs their bodies.
extension PropertyExpansion {
  /// The setter with the observers. Each body becomes a closure that is called immediately, so that
  /// `return` leaves only the observer and names inside it keep their meaning. As with a plain
  /// stored property, an observer that sets its own property doesn't trigger the observers again.
  /// Nor does an assignment by which the context restores a former value.
  var observedSetter: String {
    let index = property.index
    let storage = property.storageName
    var lines = [
      "let _$outermost = _$state.runsObservers(of: \(place)) && _$observing.insert(\(index)).inserted",
      "defer { if _$outermost { _$observing.remove(\(index)) } }",
    ]
    if let observer = property.binding.observer(.willSet) {
      lines += call(of: observer, parameter: observer.parameterName ?? "newValue", with: "newValue")
    }
    // A body that doesn't use the old value must not cause it to be loaded.
    let didSet = property.binding.observer(.didSet)
    let oldName = didSet?.parameterName ?? "oldValue"
    let readsOldValue = didSet?.mentions(oldName) ?? false
    lines.append(
      "let _$told = _$state.willMutate(self, keyPath: \\.\(property.identifier))")
    lines.append(
      readsOldValue
        ? "let _$old = \(storage).value ?? _$state.fault(self, \(place))"
        : "let _$old = \(storage).value")
    lines += [
      "_$state.willChange(self, \(place))",
      "\(storage).value = newValue",
      "_$state.didChange(self, \(place), from: _$old, to: newValue)",
      "if let _$told { _$state.didMutate(self, _$told) }",
    ]
    if let didSet {
      lines += call(of: didSet, parameter: readsOldValue ? oldName : nil, with: "_$old")
    }
    return """
      set {
      \(lines.indentedLines)
      }
      """
  }

  private func call(
    of observer: AccessorDeclSyntax, parameter: String?, with argument: String
  ) -> [String] {
    let statements = observer.statements(namingExplicitly: property.name)
      .trimmedDescription
    guard let name = parameter else {
      return ["if _$outermost { { () -> Swift.Void in\n\(statements)\n}() }"]
    }
    return [
      "if _$outermost { { (\(name)) -> Swift.Void in\n_ = \(name)\n\(statements)\n}(\(argument)) }"
    ]
  }
}

extension AccessorDeclSyntax {
  /// The name in parentheses behind `willSet` or `didSet`.
  fileprivate var parameterName: String? {
    parameters?.name.text
  }

  /// The body's statements with `self.` in front of each bare use of the property: inside the
  /// property's own setter the compiler treats a bare name as a mistake. A body that declares the
  /// name again is left unchanged.
  fileprivate func statements(namingExplicitly name: String) -> CodeBlockItemListSyntax {
    guard let statements = body?.statements else { return [] }
    let declared = DeclaredNames(viewMode: .sourceAccurate)
    declared.walk(statements)
    if declared.names.contains(name) { return statements }
    let rewritten = ExplicitSelf(name: name).rewrite(statements)
    return rewritten.as(CodeBlockItemListSyntax.self) ?? statements
  }

  /// Whether the body contains the name as a token.
  fileprivate func mentions(_ name: String) -> Bool {
    body?.tokens(viewMode: .sourceAccurate).contains { $0.text == name } ?? false
  }
}

/// Collects the names that a piece of code itself declares.
private final class DeclaredNames: SyntaxVisitor {
  var names: Set<String> = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.plainName)
    return .visitChildren
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.plainName)
    return .visitChildren
  }

  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).plainName)
    return .visitChildren
  }

  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).plainName)
    return .visitChildren
  }
}

/// Puts `self.` in front of the bare uses of one name.
private final class ExplicitSelf: SyntaxRewriter {
  let name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    let isMember = node.parent?.as(MemberAccessExprSyntax.self)?.declName == node
    let isKeyPathComponent = node.keyPathInParent == \KeyPathPropertyComponentSyntax.declName
    guard node.baseName.plainName == name, !isMember, !isKeyPathComponent else {
      return ExprSyntax(node)
    }
    return ExprSyntax(
      "\(node.leadingTrivia)self.\(node.trimmed)\(node.trailingTrivia)" as ExprSyntax)
  }
}
