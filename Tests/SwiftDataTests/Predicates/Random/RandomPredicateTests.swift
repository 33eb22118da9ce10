import SwiftData
import SwiftDataCore
import SwiftDataSQL
import Testing

/// Random predicates of random models: the store and evaluation in memory find the same models, and
/// each model matches either a predicate or its negation.
///
/// `OPENSWIFTDATA_TEST_PREDICATES` is the number of predicates. `OPENSWIFTDATA_TEST_PREDICATE_SEED` is the seed of the
/// first batch, which a failure prints: with it and a count of 1, only that batch is repeated.
@Suite("Random predicates have one answer in the store and in memory")
struct RandomPredicateTests {
  static let batch = 200

  static let batches: [Int] = {
    let usual = StoreKind.tested == .sqlite ? 2_000 : 800
    let count =
      TestEnvironment.number("OPENSWIFTDATA_TEST_PREDICATES") ?? TestEnvironment.rounds(usual)
    let first = TestEnvironment.number("OPENSWIFTDATA_TEST_PREDICATE_SEED") ?? 1
    return (0..<max(1, (count + batch - 1) / batch)).map { first &+ $0 }
  }()

  @Test(arguments: RandomPredicateTests.batches)
  func batch(_ seed: Int) throws {
    var choice = Choice(seed: UInt64(bitPattern: Int64(seed)))
    let menagerie = try Menagerie(using: &choice)
    // Every fourth batch has unsaved changes.
    if seed.isMultiple(of: 4) { try menagerie.disturb(using: &choice) }
    var trial = try PredicateTrial(menagerie)
    for number in 0..<Self.batch {
      let source = Choice(seed: choice.next())
      var maker = PredicateSource(source, identifiers: menagerie.identifiers)
      let predicate = maker.predicate(depth: number % 5)
      if let difference = try trial.difference(of: predicate) {
        Issue.record(
          "OPENSWIFTDATA_TEST_PREDICATE_SEED=\(seed), predicate \(number): \(difference)")
        return
      }
    }
    guard TestEnvironment.text("OPENSWIFTDATA_TEST_PREDICATES") != nil else { return }
    print(
      "random predicates: seed \(seed), \(Self.batch) tried, \(trial.exact) answered by the store"
        + " alone, \(trial.failing) fail at some model")
  }
}

/// The comparison of the two results.
struct PredicateTrial {
  private let menagerie: Menagerie
  private let models: [Creature]
  private(set) var exact = 0
  private(set) var failing = 0

  init(_ menagerie: Menagerie) throws {
    self.menagerie = menagerie
    models = try menagerie.context.fetch(FetchDescriptor<Creature>())
  }

  /// Returns a description of the difference; nil when there is none.
  mutating func difference(of predicate: Predicate<Creature>) throws -> String? {
    let evaluation = PredicateEvaluation(predicate)
    var holds: Set<PersistentIdentifier> = []
    var fails: Set<PersistentIdentifier> = []
    for model in models {
      do {
        let isTrue = try evaluation(model)
        // If the checked evaluation succeeds, so does Foundation's, with the same result.
        if try predicate.evaluate(model) != isTrue { return "checked evaluation differs" }
        if isTrue { holds.insert(model.persistentModelID) }
      } catch is SwiftDataError {
        fails.insert(model.persistentModelID)
      } catch is PredicateError {
        fails.insert(model.persistentModelID)
      }
    }
    if !fails.isEmpty { failing += 1 }
    if try isAnsweredByStore(FetchDescriptor(predicate: predicate), menagerie.container) {
      exact += 1
    }
    let all = Set(models.map(\.persistentModelID))
    if let wrong = try wrong(predicate, holds, fails) {
      return "p: \(wrong)\n\(try sql(of: predicate))"
    }
    let rest = all.subtracting(holds).subtracting(fails)
    if let wrong = try wrong(Predicate(not: predicate), rest, fails) {
      return "!p: \(wrong)\n\(try sql(of: Predicate(not: predicate)))"
    }
    return nil
  }

  /// Returns the SQL without its values.
  private func sql(of predicate: Predicate<Creature>) throws -> String {
    let core = menagerie.container.core
    let entry = try core.entry(for: Creature.self)
    let plans = Dictionary(
      uniqueKeysWithValues: entry.store.plans.map { (ObjectIdentifier($0.type), $0) })
    let translated = try PredicateTranslator(
      plan: entry.plan, plans: plans, dialect: SQLiteDialect()
    ).translate(LoweredPredicate(predicate))
    return translated.condition?.sql ?? "all"
  }

  /// Returns an outline of the predicate, without the types of its nodes.
  private static func outline(of predicate: Predicate<Creature>) -> String {
    var text = ""
    var depth = 0
    for character in PredicateDigest.text(of: predicate) {
      if character == "<" { depth += 1 }
      if depth == 0 { text.append(character) }
      if character == ">" { depth -= 1 }
    }
    for word in [
      "FoundationEssentials.", "PredicateExpressions.", "SwiftDataTests.", "Erased", "Swift.",
      "(extension in SwiftDataCore):",
    ] { text = text.replacing(word, with: "") }
    return text
  }

  private func wrong(
    _ predicate: Predicate<Creature>, _ expected: Set<PersistentIdentifier>,
    _ fails: Set<PersistentIdentifier>
  ) throws -> String? {
    let found: Set<PersistentIdentifier>
    do {
      found = Set(try menagerie.context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
    } catch let error where error is SwiftDataError || error is PredicateError {
      if !fails.isEmpty { return nil }
      return "the fetch fails, evaluation doesn't: \(error); " + Self.outline(of: predicate)
    }
    let difference = found.subtracting(fails).symmetricDifference(expected)
    guard !difference.isEmpty else { return nil }
    return "\(found.count) found, \(expected.count) expected, \(difference.count) differ; "
      + Self.outline(of: predicate)
  }
}
