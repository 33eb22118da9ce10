import SwiftDiagnostics
import SwiftSyntax

extension AttributeSyntax {
  /// Removes the attribute, and its line when nothing else is on it. Only the attribute's own node
  /// is replaced: the declaration that a macro receives lacks the attribute.
  func removal(for code: ModelDiagnosticCode) -> FixIt {
    let isAloneOnItsLine = trailingTrivia.isEmpty && leadingTrivia.allSatisfy(\.isWhitespace)
    let nothing = TokenSyntax(
      .stringSegment(""), leadingTrivia: isAloneOnItsLine ? [] : leadingTrivia, presence: .present)
    return .replace(self, with: nothing, "remove '\(trimmed)'", for: code)
  }
}

/// Changes to a variable's declaration that diagnostics offer.
extension VariableDeclSyntax {
  /// Makes the constant a variable.
  func replacingLet(for code: ModelDiagnosticCode) -> FixIt {
    .replace(
      bindingSpecifier, with: bindingSpecifier.with(\.tokenKind, .keyword(.var)),
      "replace 'let' with 'var'", for: code)
  }

  /// Puts `@Transient` in front of the declaration.
  func addingTransient(for code: ModelDiagnosticCode) -> FixIt {
    let start = leadingTrivia
    var changed = self
    changed.leadingTrivia = []
    let transient: AttributeSyntax = "@Transient "
    changed.attributes.insert(.attribute(transient), at: changed.attributes.startIndex)
    changed.leadingTrivia = start
    return .replace(self, with: changed, "add '@Transient'", for: code)
  }

  /// Splits the declaration into one for each binding. In `var a, b: Int` the last type applies to
  /// all bindings. Available only inside a member list, where declarations can be added.
  var splittingBindings: FixIt? {
    guard let item = parent?.as(MemberBlockItemSyntax.self),
      let list = item.parent?.as(MemberBlockItemListSyntax.self),
      let position = list.firstIndex(where: { $0.id == item.id })
    else { return nil }
    var type: TypeAnnotationSyntax?
    var parts: [MemberBlockItemSyntax] = []
    for binding in bindings.reversed() {
      var single = binding.with(\.trailingComma, nil)
      if single.typeAnnotation != nil {
        type = single.typeAnnotation
      } else if single.initializer == nil {
        single.pattern = single.pattern.trimmed
        single.typeAnnotation = type
      }
      parts.insert(item.with(\.decl, DeclSyntax(with(\.bindings, [single]))), at: 0)
    }
    let split =
      Array(list)[..<list.distance(to: position)] + parts
      + list[list.index(after: position)...]
    return .replace(
      list, with: MemberBlockItemListSyntax(Array(split)),
      "split into one declaration for each property", for: .severalBindings)
  }
}

extension MemberBlockItemListSyntax {
  fileprivate func distance(to position: Index) -> Int {
    distance(from: startIndex, to: position)
  }
}
