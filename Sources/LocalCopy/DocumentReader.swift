import Foundation
import SwiftData

/// Reads one document of a feed whose elements alone don't carry all information: only the whole document shows that an
/// element is missing or that it replaces another element.
///
/// A refresh creates a reader for each attempt, uses it in one task and releases it afterwards.
public protocol DocumentReader<Element, Model>: SendableMetatype {
  /// One element of the feed.
  associatedtype Element
  /// The type of the stored models.
  associatedtype Model: PersistentModel

  /// Returns the model of an element.
  /// - Returns: nil to leave the element out (`filtered` in the report).
  /// - Throws: the problem with the element; the element is left out, with the error as the reason.
  func model(of element: Element) throws -> Model?

  /// Returns further models to store, such as stored models marked as no longer contained in the feed.
  ///
  /// Called once, after all elements of the document are written and before anything is committed: the returned models
  /// are committed together with the elements or not at all. No other process writes in the meantime, on a server no
  /// other process refreshes a copy; the store still reads as it was before the document. Don't save to it, or erase
  /// it: that would wait for the refresh.
  /// - Parameter document: the document around the elements, with the report of the elements so far.
  /// - Returns: models with the unique values of the stored models that they replace. The report counts them as
  ///   ``RefreshReport/concluded`` if they differ from the stored models.
  /// - Throws: an error that makes the whole refresh fail, and that it throws as it is.
  func conclude(_ document: FeedDocument) throws -> [Model]

  /// Returns values to store under keys in the transaction of the document, such as a record of what it covers.
  /// `ModelContainer.storeMetadata(forKey:)` reads them, from the first store of the container that has one; what it
  /// returns during this call is what was stored before. `ModelContainer.erase()` deletes them with the models.
  ///
  /// Called once, after ``conclude(_:)``. By default, there are none.
  /// - Parameter document: the document around the elements, with the report of the elements.
  /// - Returns: the values. A key that begins with `LocalCopy.`, as those of the records of copies do, makes the
  ///   refresh fail with the code ``LocalCopyError/Code/reservedKey``.
  /// - Throws: an error that makes the whole refresh fail, and that it throws as it is.
  func metadata(_ document: FeedDocument) throws -> [String: Data]
}

extension DocumentReader {
  public func metadata(_ document: FeedDocument) throws -> [String: Data] { [:] }
}
