extension Connection {
  /// Writes the history of this connection's changes; nil when the store has none.
  var recorder: HistoryRecorder? {
    get { changeRecorder as? HistoryRecorder }
    set { changeRecorder = newValue }
  }
}
