import Foundation
import SwiftDataCore
import Testing

@Suite("Equal sets, and dictionaries that are arrays in JSON, have one text")
struct UnorderedValueTests {
  private enum Key: Codable, Hashable {
    case number(Int)
    case name(String)
  }

  private enum Raw: String, Codable, Hashable, CaseIterable { case a, b, c, d, e, f }

  private struct Empty: Codable, Hashable {}

  /// Encodes a value that is made with several capacities, by which the order of hashes differs.
  private func check<Value: Codable & Equatable>(
    _ text: String? = nil, _ make: (_ capacity: Int) -> Value
  ) throws {
    let texts = Set(try [0, 50, 500].map { try JSONColumn.encode(make($0)) })
    #expect(texts.count == 1)
    let first = try #require(texts.first)
    if let text { #expect(first == text) }
    #expect(try JSONColumn.decode(Value.self, from: Data(first.utf8)) == make(0))
  }

  private func set<Element>(_ elements: [Element], _ capacity: Int) -> Set<Element> {
    var set = Set<Element>(minimumCapacity: capacity)
    set.formUnion(elements)
    return set
  }

  private func dictionary<Key, Value>(
    _ pairs: [(Key, Value)], _ capacity: Int
  ) -> [Key: Value] {
    var dictionary = [Key: Value](minimumCapacity: capacity)
    for (key, value) in pairs { dictionary[key] = value }
    return dictionary
  }

  @Test("sets of any elements") func sets() throws {
    try check(#"["a","b","c","d","e"]"#) { set(["e", "b", "a", "d", "c"], $0) }
    try check(#"["a","b","c","d","e"]"#) { Optional(set(["e", "b", "a", "d", "c"], $0)) }
    try check("[-1,2,10]") { set([10, 2, -1], $0) }
    let identifiers = (0..<20).map { _ in UUID() }
    try check { set(identifiers, $0) }
    try check("[0,1,2,3,4,5,6,7,8,null]") { set([3, nil, 5, 1, 4, 0, 2, 8, 7, 6], $0) }
    try check { set((0..<20).map { Decimal($0) / 10 }, $0) }
    try check { set((0..<20).map { Date(timeIntervalSinceReferenceDate: Double($0)) }, $0) }
    try check { set((0..<20).map { URL(filePath: "/\($0)") }, $0) }
    try check { set((0..<20).map { [$0] }, $0) }
    try check("[{}]") { set([Empty()], $0) }
    try check("[]") { set([Int](), $0) }
  }

  @Test("dictionaries with any keys") func dictionaries() throws {
    try check(#"["a",0,"b",1,"c",2,"d",3,"e",4,"f",5]"#) {
      dictionary(Raw.allCases.enumerated().map { ($1, $0) }, $0)
    }
    let identifiers = (0..<9).map { _ in UUID() }
    try check { dictionary(identifiers.map { ($0, 1.5) }, $0) }
    try check {
      dictionary((0..<20).map { ($0 < 9 ? Key.number($0) : .name("\($0)"), [$0]) }, $0)
    }
    // Objects.
    try check(#"{"a":1,"b":2,"c":3}"#) { dictionary([("c", 3), ("a", 1), ("b", 2)], $0) }
    try check(#"{"1":1,"2":2,"3":3}"#) { dictionary([(3, 3), (1, 1), (2, 2)], $0) }
  }
}
