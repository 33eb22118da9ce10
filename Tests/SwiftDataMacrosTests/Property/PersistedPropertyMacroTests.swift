import Testing

@testable import SwiftDataMacroExpansion

@Suite("Storage and accessors of a persisted property")
struct PersistedPropertyMacroTests {
  @Test func anAnnotatedPropertyHasTypedStorage() {
    expectExpansion(
      of: "class A {\n  @_PersistedProperty(2) var code: String\n}",
      """
      class A {
        var code: String {
        @storageRestrictions(initializes: _code)
        init(initialValue) {
          _code = SwiftData._Stored(initialValue)
        }
        get {
          _$state.access(self, keyPath: \\.code)
          if let value = _code.value { return value }
          return _$state.fault(self, 2)
        }
        set {
          let _$told = _$state.willMutate(self, keyPath: \\.code)
          let _$old = _code.value
          _$state.willChange(self, 2)
          _code.value = newValue
          _$state.didChange(self, 2, from: _$old, to: newValue)
          if let _$told { _$state.didMutate(self, _$told) }
        }
        }

        private var _code: SwiftData._Stored<String>
      }
      """)
  }

  @Test func aListOfModelsIsChangedInPlaceWhileItsStorageHasASpareCopy() {
    let text = expansion(of: "class A { @_PersistedProperty(1) var parts: [Part]? }")
    #expect(
      text.contains(
        """
        _modify {
          _$state.access(self, keyPath: \\.parts)
          var _$list: [Part]? = _parts.value ?? _$state.fault(self, 1)
          if let _$spare = _$state.spare(of: _$list, 1) { _parts.value = _$spare }
          defer {
            let _$told = _$state.willMutate(self, keyPath: \\.parts)
            var _$old = _parts.value
            _$state.willChange(self, 1)
            _parts.value = _$list
            _$state.didModify(self, 1, from: &_$old, to: _$list)
            if let _$told { _$state.didMutate(self, _$told) }
          }
          yield &_$list
        }
        """))
  }

  @Test(arguments: [
    "var a: [String]", "var a: Int", "var a: [[Part]]", "@Attribute(.codable) var a: [Part]",
    "var a: [Part] { didSet { print(a) } }", "var a: Set<Part>",
  ])
  func whatIsNoListOfModelsIsSetAsAWhole(declaration: String) {
    let text = expansion(of: "class A { @_PersistedProperty(0) \(declaration) }")
    #expect(text.contains("set {") && !text.contains("_modify"))
  }

  @Test func anInferredTypeIsTakenFromTheInitialValueWithoutEvaluatingIt() {
    let lines = expandedLines(of: "class A { @_PersistedProperty(0) var a = [UUID]() }")
    #expect(lines.contains("private var _a = SwiftData._Stored.unset(of: [UUID]())"))
  }

  @Test(arguments: [
    ("Set", "[1]"), ("Array", "[UUID()]"), ("Dictionary", "[\"a\": 1]"), ("Optional", "5"),
  ])
  func aPartialAnnotationIsCompletedByTheInitialValue(written: String, value: String) {
    let lines = expandedLines(
      of: "class A { @_PersistedProperty(0) var a: \(written) = \(value) }")
    #expect(
      lines.contains("private var _a = SwiftData._Stored.unset(of: (\(value) as \(written)))"))
  }

  @Test(arguments: [
    ("Int?", "Int?"), ("Int!", "Int?"), ("[String: [Int]]", "[String: [Int]]"),
    ("Optional<Int>", "Optional<Int>"), ("(any Shape)?", "(any Shape)?"),
  ])
  func storageHasThePropertysType(written: String, stored: String) {
    let lines = expandedLines(of: "class A { @_PersistedProperty(0) var a: \(written) }")
    #expect(lines.contains("private var _a: SwiftData._Stored<\(stored)>"))
  }

  @Test func backticksStayOnTheNameAndLeaveTheStorage() {
    let lines = expandedLines(of: "class A { @_PersistedProperty(0) var `in`: Int }")
    #expect(lines.contains("private var _in: SwiftData._Stored<Int>"))
    #expect(lines.contains("_$state.access(self, keyPath: \\.`in`)"))
  }

  @Test func withoutAnIndexTheValueLivesInTheBackingDataOfAHandWrittenClass() {
    expectExpansion(
      of: "class A {\n  @_PersistedProperty var title: String\n}",
      """
      class A {
        var title: String {
        @storageRestrictions(accesses: _$backingData, initializes: _title)
        init(initialValue) {
          _$backingData.setValue(forKey: \\.title, to: initialValue)
          _title = _SwiftDataNoType()
        }
        get {
          _$observationRegistrar.access(self, keyPath: \\.title)
          return self.getValue(forKey: \\.title)
        }
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.title) {
            self.setValue(forKey: \\.title, to: newValue)
          }
        }
        }

        private var _title: _SwiftDataNoType
      }
      """)
  }

  @Test func aTransformableValueGoesThroughTheTransformableFunctions() {
    let text = expansion(of: "class A { @_TransformablePersistedProperty var tint: Tint }")
    #expect(text.contains("_$backingData.setTransformableValue(forKey: \\.tint, to: initialValue)"))
    #expect(text.contains("return self.getTransformableValue(forKey: \\.tint)"))
    #expect(text.contains("self.setTransformableValue(forKey: \\.tint, to: newValue)"))
  }

  @Test func optionsChooseHowTheRowMovesAValue() {
    let text = expansion(
      of: """
        @Model final class A {
          @Attribute(.transformable(by: T.self)) var a: Tint?
          @Attribute(.codable) var b: Int
          @Attribute(.unique, Schema.Attribute.Option.ephemeral) var c = 1
          @Attribute(.externalStorage, .allowsCloudEncryption) var d: Data
          init() {}
        }
        """)
    #expect(text.contains("case 0: writer.writeTransformed(_a)"))
    #expect(text.contains("case 1: writer.writeOpaque(_b)"))
    #expect(text.contains("case 2: writer.writeEphemeral(_c)"))
    #expect(text.contains("case 3: writer.write(_d)"))
    #expect(text.contains("case 0: _a = try reader.readTransformed()"))
    #expect(text.contains("case 1: _b = try reader.readOpaque()"))
    #expect(text.contains("case 2: var _$stored = _c; try reader.readEphemeral(&_$stored)"))
    #expect(text.contains("case 3: _d = try reader.read()"))
  }

  @Test func aTransformablePropertyOfAModelHasTypedStorageToo() {
    let text = expansion(
      of: "@Model final class A { @Attribute(.transformable(by: \"T\")) var a: Tint?; init() {} }")
    #expect(text.contains("private var _a: SwiftData._Stored<Tint?>"))
    #expect(text.contains("SwiftData.Schema.Attribute(.transformable(by: \"T\"))"))
  }
}
