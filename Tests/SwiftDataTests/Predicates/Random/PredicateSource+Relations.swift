import SwiftData

// Conditions on related models.

extension PredicateSource {
  mutating func relation(_ depth: Int) -> Erased<Bool> {
    switch choice.number(9) {
    case 0: return creature().path(\.marks).contains { one in over(one) { $0.truth(depth - 1) } }
    case 1: return creature().path(\.marks).allSatisfy { one in over(one) { $0.truth(depth - 1) } }
    case 2: return creature().path(\.friends).contains { one in over(one) { $0.truth(depth) } }
    case 3: return creature().path(\.friends).allSatisfy { one in over(one) { $0.truth(depth) } }
    case 4:
      return creature().path(\.young).map { young in
        young.allSatisfy { one in over(one) { $0.truth(depth) } }
      }.or(truth(0))
    case 5:
      return keeper().map { keeper in
        keeper.path(\.creatures).contains { one in over(one) { $0.truth(depth) } }
      }.or(truth(0))
    case 6:
      return creature().path(\.marks).contains { mark in
        mark.path(\.creatures).contains { one in over(one) { $0.truth(depth - 1) } }
      }
    case 7:
      return creature().path(\.friends).filter { one in over(one) { $0.truth(depth) } }
        .path(\.isEmpty)
    default:
      return creature().path(\.parent).map { one in over(one) { $0.truth(depth) } }
        .or(.constant(choice.truth()))
    }
  }

  mutating func relationLeaf() -> Erased<Bool> {
    let not = choice.truth()
    switch choice.number(11) {
    case 0: return keeper().equals(keeper(), not: not)
    case 1: return keeper().equals(Erased(Node.NilLiteral<Keeper>()), not: not)
    case 2: return creature().path(\.parent).equals(creature().path(\.parent), not: not)
    case 3: return creature().equals(choice.one(of: creatures), not: not)
    case 4: return creature().path(\.marks).path(\.isEmpty)
    case 5: return creature().path(\.friends).includes(creature())
    case 6:
      return creature().path(\.persistentModelID)
        .equals(.constant(choice.one(of: identifiers)), not: not)
    case 7:
      let identifier = choice.maybe { [identifiers] in $0.one(of: identifiers) }
      return keeper().map { $0.path(\.persistentModelID) }.equals(.constant(identifier), not: not)
    case 8:
      return Erased.constant(choice.some(of: identifiers, most: 9))
        .includes(creature().path(\.persistentModelID))
    case 9:
      return keeper().flatMap { $0.path(\.badge) }.flatMap { $0.path(\.keeper) }
        .equals(keeper(), not: not)
    default:
      return keeper().map { $0.path(\.creatures) }.map { $0.path(\.isEmpty) }
        .equals(.constant(choice.maybe { $0.truth() }), not: not)
    }
  }
}
