/// The merge of two edits of one text, by lines and words, in which nothing that either side wrote is lost.
///
/// Both sides are compared with the common base. Edits of different lines are both made. Lines that both sides have
/// edited are merged by words, if the edited words don't touch and each side has kept at least half of the words.
/// Otherwise the lines of both sides are in the result, one side's after the other's; a deletion of lines that the
/// other side has edited isn't made.
///
/// The result depends on the texts alone: with `mine` and `theirs` exchanged it is the same, so that two devices that
/// merge the same edits have equal texts. Of two versions the one whose UTF-8 bytes come first stands first.
///
/// ```swift
/// let merge = TextMerge(
///   base: "Tickets\nCamera", mine: "Two tickets\nCamera", theirs: "Tickets\nCamera\nWater")
/// print(merge.text)  // Two tickets, Camera and Water, each on its line
/// ```
///
/// It is a three-way merge as diff3 does it (S. Khanna, K. Kunal, B. C. Pierce, "A Formal Investigation of Diff3",
/// FSTTCS 2007), except that edits of neighbouring lines don't overlap. The differences are those of Myers' algorithm
/// with a limit: in texts that differ by over 1,000 lines, all between their common beginning and end is one edit. Time
/// and memory are proportional to the texts beside that.
public struct TextMerge: Hashable, Sendable {
  /// The merged text.
  public let text: String
  /// Whether both sides have edited the same lines in different ways, so that the text has both versions, or the edited
  /// one of lines that the other side has deleted. Lines that both have added at the same place don't count.
  public let hasOverlaps: Bool

  /// Merges two edits of a text.
  /// - Parameters:
  ///   - base: The text that both sides have edited; empty when there was none.
  ///   - mine: The text of one side.
  ///   - theirs: The text of the other side.
  public init(base: String, mine: String, theirs: String) {
    // By bytes: for `==`, an accent is the same however it is encoded.
    if mine.utf8.elementsEqual(theirs.utf8) || theirs.utf8.elementsEqual(base.utf8) {
      (text, hasOverlaps) = (mine, false)
    } else if mine.utf8.elementsEqual(base.utf8) {
      (text, hasOverlaps) = (theirs, false)
    } else {
      let merge = LineMerge(base: base, mine: mine, theirs: theirs)
      (text, hasOverlaps) = (merge.text, merge.hasOverlaps)
    }
  }
}

extension SyncConflict {
  /// Returns the merge of both sides' edits of a text, see ``TextMerge``, for a ``SyncPolicy/custom(_:)`` policy.
  /// - Parameter property: The name of a property in conflict.
  /// - Returns: nil when one side has deleted the object, or a value isn't text.
  public func mergedText(of property: String) -> TextMerge? {
    guard let mine = local?[property]?.text, let theirs = remote?[property]?.text else {
      return nil
    }
    return TextMerge(base: base?[property]?.text ?? "", mine: mine, theirs: theirs)
  }
}
