/// Shortens a failing sequence: removes ever smaller pieces as long as the sequence still fails.
///
/// - Parameters:
///   - elements: A sequence that fails.
///   - limit: The maximum number of calls of `fails`.
///   - fails: Returns whether a sequence still fails.
func shrunk<Element>(
  _ elements: [Element], limit: Int = 1_500, _ fails: ([Element]) -> Bool
) -> [Element] {
  var current = elements
  var size = max(1, current.count / 2)
  var asked = 0
  while true {
    var start = 0
    var dropped = false
    while start < current.count, asked < limit {
      var candidate = current
      candidate.removeSubrange(start..<min(start + size, current.count))
      asked += 1
      if fails(candidate) {
        current = candidate
        dropped = true
      } else {
        start += size
      }
    }
    if asked >= limit || (size == 1 && !dropped) { return current }
    size = max(1, size / 2)
  }
}
