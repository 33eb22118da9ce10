/// The switches of docs/speed-switches.md that other modules ask for. They are set when the package is compiled, by
/// `OPENSWIFTDATA_PLAIN`.
@usableFromInline
package enum SpeedSwitches {
  /// Whether rows get recurring short texts from ``ShortStringCache``.
  @inlinable package static var cachesShortTexts: Bool {
    #if OSD_PLAIN_TEXTS
      false
    #else
      true
    #endif
  }

  /// Whether a read transaction waits for the next read.
  @inlinable package static var sharesReads: Bool {
    #if OSD_PLAIN_READS
      false
    #else
      true
    #endif
  }

  /// Whether long batches are written on a second thread.
  @inlinable package static var writesOnSecondThread: Bool {
    #if OSD_PLAIN_THREADS
      false
    #else
      true
    #endif
  }

  /// Whether a table is left without its indices while many rows are inserted.
  @inlinable package static var defersIndices: Bool {
    #if OSD_PLAIN_INDICES
      false
    #else
      true
    #endif
  }

  /// Whether rows in an order of an index are read in ranges of their IDs.
  @inlinable package static var readsRanges: Bool {
    #if OSD_PLAIN_RANGES
      false
    #else
      true
    #endif
  }
}
