/// How the elements of a feed become models.
struct ImportPlan<Element: Decodable, Model>: Sendable {
  /// The path of the array of elements.
  var elements: JSONPath
  var limits = JSONLimits()
  var decoding = JSONDecodingOptions()
  /// The number of elements between two looks at cancellation and two notes of progress.
  var batchSize = 256
  /// How much of the document, in bytes of its elements, is held as models before the store's
  /// write transaction begins.
  var stagedBytes = 4 << 20
  /// Nil leaves the element out; a thrown error is reported as its reason.
  var map: @Sendable (Element) throws -> Model?
  /// Refuses the document as a whole by throwing.
  var accept: @Sendable (FeedDocument) throws -> Void = { _ in }
}
