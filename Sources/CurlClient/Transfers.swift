import CLibcurl

/// The transfers under way and their connections: used on the loop's thread only.
final class Transfers {
  private let multi: UnsafeMutableRawPointer
  private var active: [UnsafeMutableRawPointer: ActiveTransfer] = [:]
  private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
  /// Whether the last wait was without transfers, and for the whole time.
  private(set) var hasWaitedLong = false

  init(_ multi: UnsafeMutableRawPointer) {
    self.multi = multi
    osd_curl_set_limit(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 8)
    osd_curl_set_limit(multi, CURLMOPT_MAXCONNECTS, 8)
  }

  deinit {
    for (easy, transfer) in active {
      transfer.transfer.finish(CurlError(.cancelled, "The client ended"))
      curl_multi_remove_handle(multi, easy)
    }
    active = [:]
    curl_multi_cleanup(multi)
  }

  var isIdle: Bool { active.isEmpty }

  func start(_ transfer: Transfer) {
    guard !transfer.isEnded else { return }
    guard let new = ActiveTransfer(transfer), curl_multi_add_handle(multi, new.easy) == CURLM_OK
    else {
      transfer.finish(CurlError(.unreachable, "There is no memory for a request"))
      return
    }
    active[new.easy] = new
    handles[ObjectIdentifier(transfer)] = new.easy
  }

  func resume(_ transfer: Transfer) {
    // This can call the callback for bytes, which may pause again.
    if let easy = handles[ObjectIdentifier(transfer)] { curl_easy_pause(easy, CURLPAUSE_CONT) }
  }

  func end(_ transfer: Transfer) {
    if let easy = handles[ObjectIdentifier(transfer)] { remove(easy) }
  }

  private func remove(_ easy: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, easy)
    guard let ended = active.removeValue(forKey: easy) else { return }
    handles[ObjectIdentifier(ended.transfer)] = nil
  }

  /// Sends and receives what can be without waiting, and ends transfers that are complete or late.
  func perform() {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    var result = CURLE_OK
    while let easy = osd_curl_next_ended(multi, &result) {
      active[easy]?.finish(result)
      remove(easy)
    }
    let now = ContinuousClock.now
    for (easy, transfer) in active {
      guard let (end, error) = transfer.deadline(now), end <= now else { continue }
      transfer.expire(error)
      remove(easy)
    }
  }

  /// Waits until something arrives, another thread has a command, or a time is over.
  /// - Parameter longest: in milliseconds.
  func wait(_ longest: Int) {
    let now = ContinuousClock.now
    var time = longest
    for transfer in active.values {
      guard let (end, _) = transfer.deadline(now) else { continue }
      time = min(time, (end - now).milliseconds(atMost: longest))
    }
    // Connections in the making get their deadline from the library.
    curl_multi_poll(multi, nil, 0, Int32(time), nil)
    hasWaitedLong = active.isEmpty && ContinuousClock.now - now >= .milliseconds(longest)
  }
}
