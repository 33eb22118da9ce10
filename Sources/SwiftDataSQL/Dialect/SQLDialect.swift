import SwiftDataCore

/// The parts of SQL in which databases differ.
///
/// One translator writes all text and asks a dialect only for what differs. Fragments have a `?` for each parameter,
/// whatever a database's placeholders look like, and bind values in the form in which `_Cell` holds them: NaN is the
/// text 'NaN', a truth value is 0 or 1. A store whose driver takes other forms converts both when it prepares a
/// statement. Truth values are never NULL, and NaN comes after all numbers in every order.
package protocol SQLDialect: Sendable {
  var features: SQLFeatures { get }

  // MARK: Truth values and choices

  /// A truth value as a literal.
  func truth(_ value: Bool) -> String
  /// `value`, or `fallback` where it is NULL.
  func coalesce(_ value: SQLFragment, _ fallback: SQLFragment) -> SQLFragment
  /// `yes` where `test` holds, otherwise `no`, as one value. The collation of the test has no effect beyond it.
  func choice(_ test: SQLFragment, _ yes: SQLFragment, _ no: SQLFragment) -> SQLFragment

  // MARK: Comparisons

  func compare(
    _ left: SQLFragment, _ comparison: SQLComparison, _ right: SQLFragment,
    by collation: SQLCollation
  ) -> SQLFragment
  /// Whether a real value is a number: neither NaN nor NULL.
  func isNumber(_ real: SQLFragment) -> SQLFragment
  func isNaN(_ real: SQLFragment) -> SQLFragment
  /// Whether `value` is one of `values`, which aren't empty and contain no NULL.
  ///
  /// - Throws: ``Untranslatable`` for more values than a statement takes.
  func member(
    _ value: SQLFragment, of values: [SQLValue], by collation: SQLCollation
  ) throws(Untranslatable) -> SQLFragment

  // MARK: Orders and aggregates

  /// A term of ORDER BY that places NULL before all values in ascending order; nil when the database doesn't have the
  /// order.
  func orderTerm(
    _ value: SQLFragment, by collation: SQLCollation, isDescending: Bool
  ) -> SQLFragment?
  /// A term of GROUP BY for a selected value; nil when the database doesn't have the equality.
  func groupTerm(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment?
  /// The value that is selected for a group made by ``groupTerm(_:by:)``: one that is equal to all of the group.
  func groupKey(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment
  /// The aggregate of the least or greatest value; nil when the database doesn't have the order.
  func extreme(
    _ extreme: SQLExtreme, of value: SQLFragment, by collation: SQLCollation
  ) -> SQLFragment?
  /// The aggregate that adds numbers as ``_NumberTotal`` does, in the form of ``_NumberTotal/encoded``; nil when the
  /// database has none for the kind.
  func total(_ value: SQLFragment, of kind: ColumnKind) -> SQLFragment?

  // MARK: Texts and data

  /// Whether `first` is less than `second` by Swift's `<`.
  func isLess(_ first: SQLFragment, _ second: SQLFragment) throws(Untranslatable) -> SQLFragment
  /// Whether the bytes of `part` occur in those of `text`.
  func occurs(_ part: SQLFragment, in text: SQLFragment) -> SQLFragment
  func search(
    _ search: TextSearch, of part: SQLFragment, in text: SQLFragment
  ) throws(Untranslatable) -> TextSearchResult
  /// The raw value of the `ComparisonResult`.
  func comparisonResult(
    _ comparison: TextComparison, _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment
  /// The number of characters, as Swift counts them.
  func characterCount(of text: SQLFragment) throws(Untranslatable) -> SQLFragment
  func byteCount(of data: SQLFragment) -> SQLFragment
  /// Whether data has no bytes.
  func hasNoBytes(_ data: SQLFragment) -> SQLFragment

  // MARK: Arithmetic

  /// The result of integer arithmetic; evaluation fails where Swift has no result.
  ///
  /// - Parameter range: The range of the result; nil for all 64 bits.
  func integer(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment,
    in range: ClosedRange<Int64>?
  ) -> SQLFragment
  /// The result of arithmetic of two reals; a divisor isn't 0.
  func real(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment
  ) throws(Untranslatable) -> SQLFragment
  /// `-real`.
  func negative(_ real: SQLFragment) -> SQLFragment

  // MARK: Lists stored as JSON

  /// The elements of a list of integers: an item of a FROM clause under an alias, and the value of one element.
  func elements(
    of list: SQLFragment, as alias: String
  ) throws(Untranslatable) -> (source: SQLFragment, value: SQLFragment)
  func contains(_ list: SQLFragment, integer: SQLFragment) throws(Untranslatable) -> SQLFragment
  func contains(_ list: SQLFragment, text: SQLFragment) throws(Untranslatable) -> SQLFragment
  func elementCount(of list: SQLFragment) -> SQLFragment

  // MARK: Sources of rows

  /// A join of two items of a FROM clause; the rows of the first are to be read first.
  func join(_ first: String, _ second: String, on condition: String) -> String
  /// A query as an item of a FROM clause.
  func subquery(_ query: String) -> String
  /// The IDs of the rows whose columns are in a box, and possibly of others; nil when no index helps.
  ///
  /// - Parameter bounds: The bounds of each column.
  func rows(of plan: EntityPlan, _ columns: [Int], within bounds: [Bounds]) -> SQLFragment?
  /// The IDs of the rows whose text contains `part` as `localizedStandardContains` does, and possibly of others; nil
  /// when no index helps.
  func rows(of plan: EntityPlan, _ column: Int, containing part: String) -> SQLFragment?
  /// The largest row ID of a table, 0 without rows, as one value.
  func lastRowID(in table: String) -> String

  // MARK: Schema

  /// The column type that stores the values of a kind unchanged.
  func type(of kind: ColumnKind) -> String
  /// The definition of the column with the row ID, after its name.
  var rowIDDefinition: String { get }
  /// The end of the definition of a table whose rows are found by their primary key only.
  var keyedTableEnding: String { get }
  /// A quoted column as a term of an index that serves the orders of ``orderTerm(_:by:isDescending:)``.
  func indexTerm(_ column: String) -> String
  /// A column's value as people read it; nil when the value itself is readable, or isn't because it is encrypted.
  func readable(_ column: String, _ kind: ColumnKind, isEncrypted: Bool) -> String?
  /// The statement that creates a trigger. Called where ``SQLFeatures/hasTriggers`` is true.
  func statement(creating trigger: SQLTrigger) -> String
  /// A statement of a trigger that ends the statement which fired it with an error.
  func failure(_ message: String) -> String
  /// The trigger that prevents the ID of a deleted row from being reused; nil where IDs are never reused.
  func rowNumberTrigger(of plan: EntityPlan) -> (name: String, statement: String)?
  /// The tables beside those of entities that speed up searches, each once.
  func searchTables(for plans: [EntityPlan]) -> [SearchTables.Table]
  /// The reason why the database doesn't allow an entity's name, in lower case; nil when it does.
  func reservation(of name: String) -> String?

  // MARK: Migration

  /// A stored value as a literal.
  func literal(_ value: SQLValue, of kind: ColumnKind) -> String
  /// NULL as a value of a column with a definition, where nothing else tells its type.
  func null(like definition: String) -> String
  /// The conversion of stored values of one kind to another kind; nil when there is none.
  func conversion(from old: ColumnKind, to new: ColumnKind) -> SQLConversion?
}
