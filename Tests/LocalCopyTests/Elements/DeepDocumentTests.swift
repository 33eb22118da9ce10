import Foundation
import LocalCopy
import Testing

/// Documents of 10,000 levels, on a stack of 512 KiB.
@Suite("Documents of any depth are read or refused")
struct DeepDocumentTests {
  private struct Tree: Decodable {
    var children: [Tree]?
  }

  private struct Named: Decodable {
    var name: String
  }

  private static let open = String(repeating: #"{"children":["#, count: 5_000)
  private static let close = String(repeating: "]}", count: 5_000)

  private func read<Element: Decodable>(
    _ type: Element.Type, _ text: String, _ limits: JSONLimits
  ) throws -> [Result<Element, any Error>] {
    let reader = ElementReader<Element>(at: "list", limits: limits)
    var found: [Result<Element, any Error>] = []
    try reader.read(Data(text.utf8)) { _, element in found.append(element.mapError { $0 }) }
    try reader.finish()
    return found
  }

  @Test("beyond the limit, with an error that has the place")
  func limit() throws {
    try onStack(of: 512 << 10) {
      let error = #expect(throws: LocalCopyError.self) {
        try read(Tree.self, #"{"list":[\#(Self.open)\#(Self.close)]}"#, JSONLimits())
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test("within a limit that was raised, as far as the stack reaches")
  func raisedLimit() throws {
    let limits = JSONLimits(maximumDepth: 20_000)
    let text = #"{"list":[{"children":[]},\#(Self.open)\#(Self.close),{"children":[{}]}]}"#
    try onStack(of: 512 << 10) {
      let found = try read(Tree.self, text, limits)
      #expect(found.count == 3)
      #expect(throws: DecodingError.self) { try found[1].get() }
      #expect(try found[0].get().children?.count == 0)
      #expect(try found[2].get().children?.count == 1)
    }
  }

  @Test("where nothing decodes the deep part, without an error")
  func skipped() throws {
    let limits = JSONLimits(maximumDepth: 20_000)
    let text = #"{"list":[{"other":\#(Self.open)\#(Self.close),"name":"a"}]}"#
    try onStack(of: 512 << 10) {
      let names = try read(Named.self, text, limits).map { try $0.get().name }
      #expect(names == ["a"])
    }
  }
}
