import Testing

@testable import SwiftDataMacroExpansion

@Suite("The expansion of @Model")
struct PersistentModelMacroTests {
  @Test func theWholeExpansionOfASmallModel() {
    expectExpansion(
      of: """
        @Model
        public class Reading {
          @Attribute(.unique, originalName: "c") var code: String
          var level = 3
          @Transient var cache: Int = 0

          init(code: String) {
            self.code = code
          }
        }
        """,
      """
      public class Reading {
        var code: String {
        @storageRestrictions(initializes: _code)
        init(initialValue) {
          _code = SwiftData._Stored(initialValue)
        }
        get {
          _$state.access(self, keyPath: \\.code)
          if let value = _code.value { return value }
          return _$state.fault(self, 0)
        }
        set {
          let _$told = _$state.willMutate(self, keyPath: \\.code)
          let _$old = _code.value
          _$state.willChange(self, 0)
          _code.value = newValue
          _$state.didChange(self, 0, from: _$old, to: newValue)
          if let _$told { _$state.didMutate(self, _$told) }
        }
        }

        private var _code: SwiftData._Stored<String>
        var level {
        @storageRestrictions(initializes: _level)
        init(initialValue) {
          _level = SwiftData._Stored(initialValue)
        }
        get {
          _$state.access(self, keyPath: \\.level)
          if let value = _level.value { return value }
          return _$state.fault(self, 1)
        }
        set {
          let _$told = _$state.willMutate(self, keyPath: \\.level)
          let _$old = _level.value
          _$state.willChange(self, 1)
          _level.value = newValue
          _$state.didChange(self, 1, from: _$old, to: newValue)
          if let _$told { _$state.didMutate(self, _$told) }
        }
        }

        private var _level = SwiftData._Stored.unset(of: 3)
        var cache: Int = 0

        init(code: String) {
          self.code = code
        }

        private nonisolated let _$core = SwiftData._ModelCore()

        private nonisolated var _$state: SwiftData._ModelState { _$core.state(of: self) }

        public nonisolated var _$modelState: SwiftData._ModelState {
          _$core.state(of: self)
        }

        public nonisolated var _$modelPlace: SwiftData._ModelPlace { _$core.place }

        private var _$backingData: any SwiftData.BackingData<Reading> {
          get { persistentBackingData }
          set { persistentBackingData = newValue }
        }

        public var persistentBackingData: any SwiftData.BackingData<Reading> {
          get { SwiftData._ModelBackingData(self) }
          set { SwiftData._ModelBackingData.adopt(newValue, into: self) }
        }

        public class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          [
            SwiftData.Schema.PropertyMetadata(name: "code", keypath: \\Reading.code, \
      defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique, originalName: "c")),
            SwiftData.Schema.PropertyMetadata(name: "level", keypath: \\Reading.level, \
      defaultValue: 3, metadata: nil),
          ]
        }

        public required convenience init(
          backingData: any SwiftData.BackingData<Reading>
        ) {
          self.init(_hollow: SwiftData._HollowModel())
          SwiftData._ModelBackingData.adopt(backingData, into: self)
        }

        public required init(_hollow: SwiftData._HollowModel) {
          _code = SwiftData._Stored()
          _level = SwiftData._Stored()
        }

        public func _$encode(into writer: inout SwiftData._RowWriter) {
          writer.write(_code)
          writer.write(_level)
        }

        public func _$encode(_ index: Swift.Int, into writer: inout SwiftData._RowWriter) {
          switch index {
          case 0: writer.write(_code)
          case 1: writer.write(_level)
          default: break
          }
        }

        public func _$decode(from reader: inout SwiftData._RowReader) throws {
          _code = try reader.read()
          _level = try reader.read()
        }

        public func _$decode(_ index: Swift.Int, from reader: inout SwiftData._RowReader) throws {
          switch index {
          case 0: _code = try reader.read()
          case 1: _level = try reader.read()
          default: break
          }
        }

        public func _$clear(_ index: Swift.Int) {
          switch index {
          case 0: _code.value = nil
          case 1: _level.value = nil
          default: break
          }
        }

        public var _$observationRegistrar: SwiftData.ObservationRegistrar {
          _$state.registrar
        }

        internal nonisolated func access<_$Member>(keyPath: Swift.KeyPath<Reading, _$Member>) {
          _$state.access(self, keyPath: keyPath)
        }

        internal nonisolated func withMutation<_$Member, _$Result>(
          keyPath: Swift.KeyPath<Reading, _$Member>, _ mutation: () throws -> _$Result
        ) rethrows -> _$Result {
          try _$state.withMutation(of: self, keyPath: keyPath, mutation)
        }

        struct _SwiftDataNoType {}
      }

      extension Reading: nonisolated SwiftData.PersistentModel {}

      extension Reading: nonisolated SwiftData.Observable {}

      @available(*, unavailable, message: "PersistentModels are not Sendable, \
      consider utilizing a ModelActor or use Reading's persistentModelID instead.")
      extension Reading: @unchecked Sendable {}
      """)
  }

  @Test func aFinalClassHasStaticMetadataAndNoRequiredInitializers() {
    let lines = expandedLines(of: "@Model final class A { var a: Int = 1; init() {} }")
    #expect(lines.contains("static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {"))
    #expect(lines.contains("init(_hollow: SwiftData._HollowModel) {"))
    #expect(!lines.contains { $0.contains("required") })
  }

  @Test func aClassThatMayBeInheritedHasRequiredInitializers() {
    let lines = expandedLines(of: "@Model class A { var a: Int = 1; init() {} }")
    #expect(lines.contains("class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {"))
    #expect(lines.contains("required convenience init("))
    #expect(lines.contains("required init(_hollow: SwiftData._HollowModel) {"))
  }

  @Test(arguments: [
    ("public ", "public "), ("open ", "public "), ("package ", "package "), ("", ""),
    ("fileprivate ", ""), ("private ", ""),
  ])
  func witnessesAreAsVisibleAsTheClass(modifier: String, visibility: String) {
    let lines = expandedLines(of: "@Model \(modifier)class A { init() {} }")
    #expect(
      lines.contains(
        "\(visibility)nonisolated var _$modelState: SwiftData._ModelState {"))
    #expect(
      lines.contains("\(visibility)func _$encode(into writer: inout SwiftData._RowWriter) {"))
  }

  @Test func onlyStoredVariablesOfTheInstanceArePersisted() {
    let source = """
      @Model final class A {
        var stored: Int
        static var shared = 1
        class var overridable: Int { 1 }
        lazy var late = 1
        var computed: Int { 1 }
        var both: Int { get { 1 } set {} }
        let constant = 1
        @Transient var cache = 1
        var observed: Int = 1 { didSet {} }
        init() { stored = 1 }
      }
      """
    let lines = expandedLines(of: source)
    #expect(
      lines.filter { $0.hasPrefix("writer.write(") } == [
        "writer.write(_stored)", "writer.write(_observed)",
      ])
    #expect(lines.contains("case 1: writer.write(_observed)"))
    #expect(!lines.contains { $0.contains("_constant") || $0.contains("_cache") })
  }

  @Test func branchesThatThisBuildLeavesOutDontCount() {
    let lines = expandedLines(
      of: """
        @Model final class A {
          #if os(Windows)
          var first: Int = 1
          #elseif EXTRA
          var second: Int = 2
          #else
          var third: Int = 3
          #endif
          var last: Int = 4
          init() {}
        }
        """)
    #expect(
      lines.filter { $0.hasPrefix("writer.write(") } == [
        "writer.write(_second)", "writer.write(_last)",
      ])
  }

  @Test func attributesInBranchesThatThisBuildLeavesOutDontCount() {
    let lines = expandedLines(
      of: """
        @Model final class A {
          #if os(Linux)
          @Attribute(.unique)
          #endif
          var first: Int = 1
          #if os(Windows)
          @Attribute(.unique)
          #elseif EXTRA
          @Transient
          #endif
          var second: Int = 2
          #if os(Windows)
          @Transient
          #endif
          var third: Int = 3
          init() {}
        }
        """)
    #expect(
      lines.filter { $0.hasPrefix("writer.write(") } == [
        "writer.write(_first)", "writer.write(_third)",
      ])
    #expect(
      lines.filter { $0.hasSuffix("metadata: SwiftData.Schema.Attribute(.unique)),") }.count == 1)
  }

  @Test func aProblemOfAConditionalAttributeIsReportedAtItsVariable() {
    expectDiagnostics(
      of: """
        @Model final class A {
          #if EXTRA
          @Transient
          #endif
          var a: Int
          init(a: Int) { self.a = a }
        }
        """,
      [
        diagnostic(
          .transientNeedsDefault,
          "@Transient property 'a' must have a default value or be optional: "
            + "a fetched model has no stored value for it",
          line: 5, column: 7)
      ])
  }

  @Test func anOverrideWithObserversIsTheSuperclassesProperty() {
    let source = "@Model final class A: B { override var a: Int { didSet {} }; init() {} }"
    let text = expansion(of: source)
    #expect(text.contains("override var a: Int { didSet {} }"))
    #expect(!text.contains("SwiftData._Stored") && !text.contains("_$observing"))
    expectDiagnostics(
      of: """
        @Model final class A: B {
          @Attribute(.unique) override var a: Int { didSet {} }
          init() {}
        }
        """,
      [
        diagnostic(
          .annotationNeedsStoredProperty,
          "@Attribute has no effect on a superclass's property: "
            + "only stored properties of an instance are persisted",
          line: 2, column: 3, severity: .warning)
      ])
  }

  @Test func aModelInAnotherTypeIsExtendedUnderItsFullName() {
    let text = expansion(of: "struct Space { @Model final class A { init() {} } }")
    #expect(text.contains("extension Space.A: nonisolated SwiftData.PersistentModel {}"))
  }

  @Test func theUnavailableConformanceToSendableNamesTheAlternative() {
    let text = expansion(of: "@Model final class A { init() {} }")
    #expect(text.contains("extension A: nonisolated SwiftData.PersistentModel {}"))
    #expect(text.contains("extension A: nonisolated SwiftData.Observable {}"))
    #expect(
      text.contains(
        """
        @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing \
        a ModelActor or use A's persistentModelID instead.")
        extension A: @unchecked Sendable {}
        """))
  }

  @Test func onlyAModelWithObserversRemembersWhichAreRunning() {
    let plain = expansion(of: "@Model final class A { var a = 1; init() {} }")
    let observed = expansion(of: "@Model final class A { var a = 1 { didSet {} }; init() {} }")
    #expect(!plain.contains("_$observing"))
    #expect(observed.contains("private var _$observing: Swift.Set<Swift.Int> = []"))
  }
}
