import SwiftDiagnostics
import SwiftSyntax

/// The problems of the class's `#Unique` and `#Index` declarations, as far as its own source shows them.
extension ModelClass {
  var constraintDiagnostics: [Diagnostic] {
    ["Unique", "Index"].flatMap(declarations).flatMap { constraint in
      [foreignClass(of: constraint)].compactMap { $0 } + unsuitableProperties(in: constraint)
    }
  }

  /// Warns of a constraint that names another class: it holds for the class that contains it, whatever class it names.
  /// The name could be an alias of this class, so this is no error.
  private func foreignClass(of constraint: MacroExpansionDeclSyntax) -> Diagnostic? {
    guard case .type(let type)? = constraint.genericArgumentClause?.arguments.first?.argument,
      let named = type.baseName, named != plainName, named != "Self"
    else { return nil }
    let own: TypeSyntax = "\(declaration.name.trimmed)"
    let macro = constraint.macroName.text
    return Diagnostic(
      .constraintOfAnotherClass, at: type,
      "#\(macro) names '\(type.trimmed)' but holds for '\(plainName)', the class that it stands in",
      severity: .warning,
      fixIts: [
        .replace(
          type, with: own, "replace '\(type.trimmed)' with '\(plainName)'",
          for: .constraintOfAnotherClass)
      ])
  }

  private func unsuitableProperties(in constraint: MacroExpansionDeclSyntax) -> [Diagnostic] {
    ownNames(in: constraint).compactMap { name in
      guard let reason = reasonAgainstColumn(name.plainName) else { return nil }
      return Diagnostic(
        .constraintOnUnsuitableProperty, at: name,
        "#\(constraint.macroName.text) can't name '\(name.plainName)': \(reason)")
    }
  }

  /// The first names of the constraint's key paths that start at this class.
  private func ownNames(in constraint: MacroExpansionDeclSyntax) -> [TokenSyntax] {
    let collector = KeyPathCollector(viewMode: .sourceAccurate)
    collector.walk(constraint.arguments)
    return collector.keyPaths.compactMap { path in
      guard path.root?.baseName.map({ $0 == plainName || $0 == "Self" }) ?? true else { return nil }
      let first = path.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
      return first?.declName.baseName
    }
  }

  /// Whether the constraint names a property that this class certainly doesn't store: the compiler rejects the key path
  /// where it is written, and needn't see it a second time in the schema's metadata.
  func namesUnknownProperty(_ constraint: MacroExpansionDeclSyntax) -> Bool {
    ownNames(in: constraint).contains { isUnknown($0.plainName) }
  }

  /// Whether the class certainly lacks the property: persisted properties are declared in the class's own body or in a
  /// superclass.
  private func isUnknown(_ name: String) -> Bool { !mayInherit && variable(named: name) == nil }

  private func variable(named name: String) -> VariableDeclSyntax? {
    variables.first { variable in
      variable.bindings.contains { $0.identifier?.plainName == name }
    }
  }

  /// The reason why the class's property has no column of its own; nil when it has one, and for names that a superclass
  /// may have.
  private func reasonAgainstColumn(_ name: String) -> String? {
    if isUnknown(name) { return "\(plainName) has no stored property of that name" }
    guard let owner = variable(named: name) else { return nil }
    // The superclass's property may have a column.
    if owner.modifiers.contains(.override) { return nil }
    if owner.isTransient { return "@Transient keeps it out of the store" }
    guard owner.isStoredInInstance else {
      return "a \(owner.kindWithoutStorage) property isn't stored"
    }
    if owner.isConstant, !persistsConstants { return "a constant isn't stored" }
    if let options = owner.attributes.joined(named: "Attribute")?.optionNames,
      options.contains("ephemeral")
    {
      return "an ephemeral property isn't written to the store"
    }
    if owner.attributes.contains(named: "Relationship"),
      let type = owner.bindings.first?.storageType, type.isCollection, !type.isKnownValue
    {
      return "a to-many relationship has no single value to compare"
    }
    return nil
  }

  /// The class's name without backticks.
  private var plainName: String { declaration.name.plainName }
}

/// The key paths of an expression, in their order.
private final class KeyPathCollector: SyntaxVisitor {
  private(set) var keyPaths: [KeyPathExprSyntax] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    keyPaths.append(node)
    return .skipChildren
  }
}

extension TypeSyntax {
  /// The last name of `Trip`, `Schema.Trip` and `Trip<Int>`; nil for types of other forms.
  fileprivate var baseName: String? {
    if let member = self.as(MemberTypeSyntax.self) { return member.name.plainName }
    return self.as(IdentifierTypeSyntax.self)?.name.plainName
  }
}
