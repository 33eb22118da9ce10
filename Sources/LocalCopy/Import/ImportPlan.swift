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
  /// Takes the place of `map` in each attempt, for feeds whose document says more than its elements.
  var begin: (@Sendable () -> DocumentSteps<Element, Model>)?
  /// Refuses the document as a whole by throwing.
  var accept: @Sendable (FeedDocument) throws -> Void = { _ in }
}

/// What is done with one document, by one attempt to read it.
struct DocumentSteps<Element, Model> {
  var map: (Element) throws -> Model?
  /// Gives further models, once all elements are in the store's transaction.
  var conclude: (FeedDocument) throws -> [Model]
}
