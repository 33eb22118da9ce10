import Foundation
import Synchronization
import Testing

@testable import LocalCopy

/// An element that isn't filled directly from the bytes: `Decodable` decodes its wrapped type.
struct Plainly<Value: Decodable>: Decodable {
  let value: Value
  init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

extension Plainly: Sendable where Value: Sendable {}

/// The result of importing a document.
struct ImportedElements<Element> {
  var elements: [Element] = []
  var skipped: [RefreshReport.Skipped] = []
  var received = 0
  var refusal: LocalCopyError?
}

/// Imports a document in pieces of a size.
func imported<Element: Decodable & Sendable>(
  _ type: Element.Type, _ document: [UInt8], at path: JSONPath = .root,
  limits: JSONLimits = JSONLimits(), decoding: JSONDecodingOptions = JSONDecodingOptions(),
  pieceSize: Int = 1 << 16
) throws -> ImportedElements<Element> {
  let found = Mutex<[Element]>([])
  let plan = ImportPlan<Element, Item>(elements: path, limits: limits, decoding: decoding) {
    element in
    found.withLock { $0.append(element) }
    return nil
  }
  let copying = ElementImport(plan, into: MemoryStore(), note: { _ in })
  var result = ImportedElements<Element>()
  do {
    var start = 0
    while start < document.count {
      let end = min(document.count, start &+ min(pieceSize, document.count))
      // A separate copy of each piece.
      try Array(document[start..<end]).withUnsafeBufferPointer {
        try copying.sink.receive($0, end)
      }
      start = end
    }
    try copying.finish()
  } catch let error as LocalCopyError {
    result.refusal = error
  }
  result.elements = found.withLock { $0 }
  result.skipped = copying.report.details
  result.received = copying.report.received
  return result
}

/// Expects that a document results in the same elements, skipped elements and errors directly from the bytes as by
/// `Decodable`.
/// - Returns: The elements.
@discardableResult
func expectSameImport<Element: FeedElement & Equatable & Sendable>(
  of type: Element.Type, _ document: [UInt8], at path: JSONPath = .root,
  limits: JSONLimits = JSONLimits(), decoding: JSONDecodingOptions = JSONDecodingOptions(),
  pieceSize: Int = 1 << 16, sourceLocation: SourceLocation = #_sourceLocation
) throws -> [Element] {
  let directly = try imported(
    type, document, at: path, limits: limits, decoding: decoding, pieceSize: pieceSize)
  let plainly = try imported(
    Plainly<Element>.self, document, at: path, limits: limits, decoding: decoding,
    pieceSize: pieceSize)
  let comment = Comment(rawValue: String(decoding: document.prefix(400), as: UTF8.self))
  #expect(
    directly.elements == plainly.elements.map(\.value), comment, sourceLocation: sourceLocation)
  #expect(directly.skipped == plainly.skipped, comment, sourceLocation: sourceLocation)
  #expect(directly.received == plainly.received, comment, sourceLocation: sourceLocation)
  #expect(directly.refusal == plainly.refusal, comment, sourceLocation: sourceLocation)
  return directly.elements
}

/// Fills an element directly from the bytes; nil when it is left to the general decoder.
func filled<Element: FeedElement>(
  _ type: Element.Type, _ text: [UInt8], depth: Int = 64,
  decoding: JSONDecodingOptions = JSONDecodingOptions()
) throws -> Element? {
  let decoder = try #require(FeedElementDecoder<Element>(decoding))
  return text.withUnsafeBufferPointer {
    decoder.decode(from: $0, depth: depth) == nil ? nil : decoder.take()
  }
}

func filled<Element: FeedElement>(
  _ type: Element.Type, _ text: String, depth: Int = 64,
  decoding: JSONDecodingOptions = JSONDecodingOptions()
) throws -> Element? {
  try filled(type, Array(text.utf8), depth: depth, decoding: decoding)
}
