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
    let branch =
      if let configuration {
        conditional.activeClause(in: configuration).clause
      } else {
        conditional.clauses.first
      }
    guard case .decls(let members) = branch?.elements else { return [] }
    return members.flatMap { $0.decl.activeMembers(in: configuration) }
  }
}
