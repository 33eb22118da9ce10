import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax

/// The stored properties of a structure that the compiler's own `init(from:)` decodes, and the problems with them.
struct FeedElementFields {
  /// The names, as they are written, in the order of the properties.
  private(set) var all: [TokenSyntax] = []
  private(set) var diagnostics: [Diagnostic] = []

  init(_ structure: StructDeclSyntax, configuration: (any BuildConfiguration)?) {
    let members = structure.memberBlock.activeMembers(in: configuration)
    let keys = members.lazy.compactMap { $0.as(EnumDeclSyntax.self) }
      .first { $0.name.plainName == "CodingKeys" }
      .map { Self.cases(of: $0, configuration) }
    for member in members {
      if let initializer = member.as(InitializerDeclSyntax.self), initializer.decodesItself {
        diagnostics.append(.feedElementDecodesItself(initializer))
      }
      guard let variable = member.as(VariableDeclSyntax.self), variable.isStoredInInstance else {
        continue
      }
      add(variable, among: keys)
    }
  }

  private mutating func add(_ variable: VariableDeclSyntax, among keys: Set<String>?) {
    for binding in variable.bindings {
      guard let name = binding.identifier else {
        diagnostics.append(.feedElementNeedsNames(binding.pattern))
        continue
      }
      // The compiler's own rule: a constant with a value keeps it, and so does a property that `CodingKeys` leaves out.
      if variable.isConstant, binding.initializer != nil { continue }
      if let keys, !keys.contains(name.plainName) { continue }
      if let wrapper = variable.attributes.firstWrapper {
        diagnostics.append(.feedElementHasWrapper(wrapper))
      }
      all.append(name.trimmed)
    }
  }

  private static func cases(
    of keys: EnumDeclSyntax, _ configuration: (any BuildConfiguration)?
  ) -> Set<String> {
    let names = keys.memberBlock.activeMembers(in: configuration)
      .compactMap { $0.as(EnumCaseDeclSyntax.self) }
      .flatMap { $0.elements.map(\.name.plainName) }
    return Set(names)
  }
}

extension InitializerDeclSyntax {
  /// Whether the initialiser is `init(from:)`.
  fileprivate var decodesItself: Bool {
    let parameters = signature.parameterClause.parameters
    return parameters.count == 1 && parameters.first?.firstName.plainName == "from"
  }
}

extension AttributeListSyntax {
  /// The first attribute that may be a property wrapper: not one of the language's own, which begin in lower case.
  fileprivate var firstWrapper: AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.baseName.first?.isUppercase ?? false && $0.baseName != "MainActor" }
  }
}
