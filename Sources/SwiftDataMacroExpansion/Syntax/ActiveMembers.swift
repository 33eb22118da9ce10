import SwiftIfConfig
import SwiftSyntax

extension MemberBlockSyntax {
  /// The members that this build compiles: those inside `#if` are included when their branch is
  /// active. Without a configuration (a compiler that doesn't send one) the first branch is used.
  func activeMembers(in configuration: (any BuildConfiguration)?) -> [DeclSyntax] {
    members.flatMap { $0.decl.activeMembers(in: configuration) }
  }
}

extension DeclSyntax {
  fileprivate func activeMembers(in configuration: (any BuildConfiguration)?) -> [DeclSyntax] {
    guard let conditional = self.as(IfConfigDeclSyntax.self) else { return [self] }
    guard case .decls(let members) = conditional.activeElements(in: configuration) else {
      return []
    }
    return members.flatMap { $0.decl.activeMembers(in: configuration) }
  }
}

extension IfConfigDeclSyntax {
  fileprivate func activeElements(
    in configuration: (any BuildConfiguration)?
  ) -> IfConfigClauseSyntax.Elements? {
    guard let configuration else { return clauses.first?.elements }
    return activeClause(in: configuration).clause?.elements
  }
}

extension VariableDeclSyntax {
  /// Whether some of the attributes are inside `#if`.
  var hasConditionalAttributes: Bool { attributes.contains { $0.is(IfConfigDeclSyntax.self) } }

  /// The declaration with the attributes that this build compiles. One without `#if` among them is returned as it is;
  /// any other is a copy, outside the tree of the source.
  func resolvingAttributes(
    in configuration: @autoclosure () -> (any BuildConfiguration)?
  ) -> VariableDeclSyntax {
    guard hasConditionalAttributes else { return self }
    return with(\.attributes, attributes.active(in: configuration()))
  }
}

extension AttributeListSyntax {
  /// Whether there is an attribute called `name`, also inside a branch of `#if` that this build may not compile.
  func mayContain(named name: String) -> Bool {
    contains(named: name)
      || contains { element in
        element.as(IfConfigDeclSyntax.self)?.clauses.contains { clause in
          guard case .attributes(let branch) = clause.elements else { return false }
          return branch.mayContain(named: name)
        } ?? false
      }
  }

  fileprivate func active(in configuration: (any BuildConfiguration)?) -> AttributeListSyntax {
    var found: [Element] = []
    for element in self {
      guard let conditional = element.as(IfConfigDeclSyntax.self) else {
        found.append(element)
        continue
      }
      guard case .attributes(let branch) = conditional.activeElements(in: configuration) else {
        continue
      }
      found += branch.active(in: configuration)
    }
    return AttributeListSyntax(found)
  }
}
