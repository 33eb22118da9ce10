import Foundation

/// The rules for turning the elements of a feed into models.
struct ImportPlan<Element: Decodable, Model>: Sendable {
  /// The path of the array of elements.
  var elements: JSONPath
  var limits = JSONLimits()
  var decoding = JSONDecodingOptions()
  /// The number of elements between two checks of cancellation and two reports of progress.
  var batchSize = 256
  /// The number of element bytes that are held as models before the store's write transaction begins.
  var stagedBytes = 4 << 20
  /// Returns nil to leave the element out; a thrown error is reported as its reason.
  var map: @Sendable (Element) throws -> Model?
  /// Replaces `map` in each attempt, for feeds whose document carries more information than its elements.
  var begin: (@Sendable () -> DocumentSteps<Element, Model>)?
  /// Throws an error to reject the whole document.
  var accept: @Sendable (FeedDocument) throws -> Void = { _ in }
}

/// The functions that process one document in one attempt to read it.
struct DocumentSteps<Element, Model> {
  var map: (Element) throws -> Model?
  /// Returns further models, after all elements are in the store's transaction.
  var conclude: (FeedDocument) throws -> [Model]
  /// Returns values to store under keys in the same transaction.
  var metadata: (FeedDocument) throws -> [String: Data] = { _ in [:] }
}
