import Observation
import SwiftData
import Synchronization
import Testing

@Suite("Models that the compiler has expanded")
struct CompiledModelTests {
  /// Reads the metadata through the protocol, as the schema does.
  private func metadata<Model: PersistentModel>(
    of type: Model.Type
  ) -> [Schema.PropertyMetadata] {
    type.schemaMetadata
  }

  @Test func initialValuesHoldWithoutAnAssignment() {
    let forms = Forms(2)
    #expect(forms.inferredInteger == 2)
    #expect(forms.negative == -1)
    #expect(forms.inferredCase == .busy)
    #expect(forms.shorthand == .calm)
    #expect(forms.explicitNil == nil && forms.implicitNil == nil)
    #expect(forms.implicitlyUnwrapped == nil)
    #expect(forms.product == 86_400)
    #expect(forms.choice == 1 && forms.closure == 4)
    #expect(forms.lines == "first\n  second")
    #expect(forms.default == 1)
  }

  @Test func partialAnnotationsHaveTheTypesOfTheirInitialValues() throws {
    let container = try ModelContainer(
      for: PartialTypes.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let model = PartialTypes()
    context.insert(model)
    model.codes.insert(2)
    try context.save()
    let stored = try #require(
      ModelContext(container).fetch(FetchDescriptor<PartialTypes>()).first)
    let codes: Set<Int> = stored.codes
    let level: Int? = stored.level
    #expect(codes == [1, 2] && level == 5)
    #expect(stored.names == ["a"] && stored.counts == ["a": 1])
    #expect(metadata(of: PartialTypes.self).count == 4)
  }

  @Test func anInitializerMaySetPropertiesWithInitialValues() {
    #expect(Forms().negative == -2)
    #expect(Forms(hidden: "seen").hiddenText() == "seen")
  }

  @Test func otherMembersWorkAsInAPlainClass() {
    let forms = Forms(5)
    forms.accessed = 6
    forms.cache += 1
    #expect(forms.computed == 12 && forms.late == 2)
    #expect(forms.cache == 1 && forms.note == nil && forms.constant == 5)
  }

  @Test func theSchemaSeesEachPersistedPropertyOnce() {
    // 19 unconditional ones, one in this build's branch, one deprecated.
    #expect(metadata(of: Forms.self).count == 21)
    #expect(metadata(of: Empty.self).isEmpty)
    #expect(metadata(of: Outer<Int>.Deep<String>.Innermost.self).count == 1)
  }

  @Test func aClassWithoutInitializerGetsAMemberwiseOne() {
    let quake = Quake(code: "a", magnitude: 2.5)
    #expect(quake.code == "a" && quake.magnitude == 2.5 && quake.note == nil)
    #expect(quake.time == Date(timeIntervalSinceReferenceDate: 0))
    #expect(Quake(text: "b").code == "b")
    #expect(AllDefaults().text == "x" && AllDefaults(number: 2, text: "y").number == 2)
  }

  @Test func observersRunInTheOrderOfAStoredPropertyAndNotAgain() {
    let model = Observed(named: "x")
    #expect(model.log.isEmpty)
    model.clamped = 20
    #expect(model.log == ["will 20 from 0", "did 0 to 20"])
    #expect(model.clamped == 10)
    model.clamped = 5
    #expect(model.log.suffix(2) == ["will 5 from 10", "did 10 to 5"])
  }

  @Test func returnLeavesTheObserverOnly() {
    let model = Observed(named: "x")
    model.named = "x"
    model.named = "y"
    model.inferred += 1
    #expect(model.named == "y" && model.inferred == 4)
    #expect(model.log == ["from x", "inferred"])
  }

  @Test func aMutationNotifiesObserversOfTheProperty() {
    let quake = Quake(code: "a", magnitude: 1)
    let fired = Atomic(0)
    withObservationTracking {
      _ = quake.magnitude
    } onChange: {
      fired.add(1, ordering: .relaxed)
    }
    quake.code = "b"
    #expect(fired.load(ordering: .relaxed) == 0)
    quake.magnitude = 2
    #expect(fired.load(ordering: .relaxed) == 1)
  }

  @Test func initializersMayFail() throws {
    #expect(Fallible(number: 0) == nil)
    #expect(Fallible(number: 3)?.number == 3)
    #expect(try Fallible(text: "4").number == 4)
    #expect(throws: CancellationError.self) { try Fallible(text: "x") }
  }

  @Test func aModelMayHaveAPlainSuperclass() {
    let derived = Derived()
    #expect(derived.kind == "plain" && derived.number == 1)
  }

  @Test func aConformanceMayBeWrittenAsAComposition() {
    #expect("\(Composed())" == "1" && Nonisolated().number == 1)
  }

  @Test func anObserverOfAnInheritedPropertyAddsNoProperty() throws {
    #expect(metadata(of: Tram.self).count == 1)
    let container = try ModelContainer(
      for: Vehicle.self, Tram.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let tram = Tram()
    context.insert(tram)
    tram.name = "a"
    tram.name = "b"
    try context.save()
    #expect(tram.formerNames == [nil, "a"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Tram>()).map(\.name) == ["b"])
  }

  @Test func attributesMayBeInBranches() throws {
    #expect(metadata(of: ConditionallyAnnotated.self).count == 1)
    let container = try ModelContainer(
      for: ConditionallyAnnotated.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for _ in 0..<2 {
      context.insert(ConditionallyAnnotated())
      try context.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<ConditionallyAnnotated>()) == 1)
  }

  @Test func aModelMayBeCodableByHand() throws {
    let coded = Coded(name: "n")
    coded.age = 3
    let back = try JSONDecoder().decode(Coded.self, from: JSONEncoder().encode(coded))
    #expect(back.name == "n" && back.age == 3)
  }

  @Test func ownTypesMayHaveTheFrameworksNames() {
    let model = Shadowing()
    model.data = Shadowing.Data()
    #expect(model.schema.version == 1 && model.data?.bytes == 2)
  }

  @Test func theGeneratedMembersAreThereForHandWrittenCode() {
    let quake = Quake(code: "a", magnitude: 1)
    let backing: any BackingData<Quake> = Quake.createBackingData()
    #expect(quake.touchGeneratedMembers(backing) == 1)
    #expect(quake.code == "a")
  }
}
