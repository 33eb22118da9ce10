import Testing

@testable import SwiftDataMacroExpansion

@Suite("Observers of a persisted property")
struct PropertyObserverTests {
  private func setter(_ property: String) -> [String] {
    let lines = expandedLines(of: "class A { @_PersistedProperty(1) \(property) }")
    return Array(lines.drop { $0 != "set {" })
  }

  @Test func willSetRunsBeforeAndDidSetAfterTheChange() throws {
    let lines = setter("var a: Int = 0 { willSet { before() } didSet { after() } }")
    let before = try #require(lines.firstIndex(of: "before()"))
    let change = try #require(lines.firstIndex { $0.contains("_a.value = newValue") })
    let after = try #require(lines.firstIndex(of: "after()"))
    #expect(before < change && change < after)
  }

  @Test func anObserverThatSetsItsPropertyDoesntStartItAgain() {
    let lines = setter("var a: Int = 0 { didSet { } }")
    let guardLine =
      "let _$outermost = _$state.runsObservers(of: 1) && _$observing.insert(1).inserted"
    #expect(lines.contains(guardLine))
    #expect(lines.contains("defer { if _$outermost { _$observing.remove(1) } }"))
    #expect(lines.contains("if _$outermost { { () -> Swift.Void in"))
  }

  @Test func theOldValueIsLoadedOnlyWhenTheBodyMentionsIt() {
    let fault = "let _$old = _a.value ?? _$state.fault(self, 1)"
    #expect(setter("var a: Int = 0 { didSet { use(oldValue) } }").contains(fault))
    #expect(setter("var a: Int = 0 { didSet(old) { use(old) } }").contains(fault))
    #expect(!setter("var a: Int = 0 { didSet { use(a) } }").contains(fault))
    #expect(!setter("var a: Int = 0 { willSet { use(newValue) } }").contains(fault))
  }

  @Test func parametersKeepTheirOwnNames() {
    let lines = setter("var a: Int = 0 { willSet(next) { use(next) } didSet(last) { use(last) } }")
    #expect(lines.contains("if _$outermost { { (next) -> Swift.Void in"))
    #expect(lines.contains("}(newValue) }"))
    #expect(lines.contains("if _$outermost { { (last) -> Swift.Void in"))
    #expect(lines.contains("}(_$old) }"))
  }

  @Test(arguments: [
    ("a = 3", "self.a = 3"),
    ("use(a.count)", "use(self.a.count)"),
    ("self.a = b.a", "self.a = b.a"),
    ("use(\\A.a)", "use(\\A.a)"),
    ("use(\"\\(a)\")", "use(\"\\(self.a)\")"),
    ("let a = 3; use(a)", "let a = 3; use(a)"),
    ("each { a in use(a) }", "each { a in use(a) }"),
    ("if let a { use(a) }", "if let a { use(a) }"),
  ])
  func aBareNameOfThePropertyGetsSelf(body: String, rewritten: String) {
    #expect(setter("var a: Int = 0 { didSet { \(body) } }").contains(rewritten))
  }
}
