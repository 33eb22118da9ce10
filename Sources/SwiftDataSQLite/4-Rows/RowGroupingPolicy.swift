import SwiftDataSQL

/// Decides how many rows are written by one statement, and by which. A statement for many new rows costs a quarter less
/// than one for each; but it doesn't return which of its rows already existed, and then each row is handled
/// individually. Existing rows are compared together, and only those that differ are written.
struct RowGroupingPolicy {
  /// The number of rows per statement; 1 when each row has its own.
  private(set) var size: Int
  /// The number of rows held back for a group.
  var bufferedCount = 0
  /// Whether the table has been checked and allows groups.
  var isAllowed = false
  /// Whether the last rows already existed: then the next rows are compared before they are written.
  private(set) var isComparing = false
  /// The number of rows that are written individually before the next attempt, and the number for the next pause.
  private var pause = 0
  private var nextPause = Self.minimumPause
  private static let minimumPause = 256
  private static let maximumPause = 65_536
  private static let maximumSize = 16
  private static let maximumParameters = 1_000

  init(_ statements: EntityStatements) {
    let plan = statements.plan
    // With several constraints a row may collide with two others, search tables are maintained by triggers, and other
    // forms of values are created row by row.
    let isPlain =
      plan.uniqueness.count <= 1 && !plan.columns.isEmpty && !statements.isSearchable
      && statements.codec == nil
    size = isPlain ? min(Self.maximumSize, Self.maximumParameters / plan.columns.count) : 1
  }

  /// Gives each row its own statement from now on.
  mutating func end() { size = 1 }

  /// Whether the next row may be held back for a group.
  mutating func admits() -> Bool {
    guard size > 1, pause == 0 else {
      pause = max(0, pause - 1)
      return false
    }
    return true
  }

  mutating func recordNew() {
    nextPause = Self.minimumPause
    isComparing = false
  }

  /// Existing rows seldom come alone.
  mutating func recordExisting() { isComparing = true }

  /// Comparing pays when it saves writing one row in four.
  mutating func recordEqual(_ count: Int) {
    if count * 4 >= size {
      nextPause = Self.minimumPause
    } else {
      pause = nextPause
      nextPause = min(nextPause * 4, Self.maximumPause)
    }
  }
}
