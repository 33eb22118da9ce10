import SwiftData

/// Reads one document of a feed whose elements don't say everything: that an element is missing, or that it stands
/// for another one, only the whole document says.
///
/// A refresh makes a reader for each attempt, uses it in one task, and drops it afterwards.
public protocol DocumentReader<Element, Model>: SendableMetatype {
  /// One element of the feed.
  associatedtype Element
  /// What is stored.
  associatedtype Model: PersistentModel

  /// The model of an element.
  /// - Returns: nil leaves the element out (`filtered` in the report).
  /// - Throws: what is wrong with the element; it is left out, with the error as the reason.
  func model(of element: Element) throws -> Model?

  /// Further models to store, such as stored ones with a mark that the feed no longer has them.
  ///
  /// Called once, when all elements of the document are written and nothing is committed: what it gives is committed
  /// with them or not at all. No other program writes meanwhile; the store still reads as it was before the document.
  /// - Parameter document: the document around the elements, with the report of the elements so far.
  /// - Returns: models with the unique values of the stored ones that they replace. The report counts them as
  ///   ``RefreshReport/concluded`` as far as they differ from what is stored.
  /// - Throws: what makes the whole refresh fail.
  func conclude(_ document: FeedDocument) throws -> [Model]
}
