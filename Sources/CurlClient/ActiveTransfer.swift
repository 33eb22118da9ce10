import CLibcurl
import Foundation

/// A transfer in the hands of the library: used on the loop's thread only.
final class ActiveTransfer {
  /// The limit of a response's head in bytes, those of preliminary responses included.
  private static let maximumHead = 128 * 1024

  let transfer: Transfer
  let easy: UnsafeMutableRawPointer
  private var lines: UnsafeMutablePointer<curl_slist>?
  private let message: UnsafeMutablePointer<CChar>
  private let body: UnsafeMutableBufferPointer<UInt8>
  private var clock: TransferClock
  private var sentBytes: Int64 = 0
  // The head of the response.
  private var status = 0
  private var reason = ""
  private var fields = HTTPFields()
  private var headBytes = 0
  private var hasHead = false
  /// The reason for which a callback ended the transfer.
  private var refusal: CurlError?

  /// - Returns: nil when there is no memory for it.
  init?(_ transfer: Transfer) {
    guard let easy = curl_easy_init() else { return nil }
    self.transfer = transfer
    self.easy = easy
    clock = TransferClock(transfer.request)
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let bytes = transfer.request.body ?? []
    body = .allocate(capacity: bytes.count)
    _ = body.initialize(fromContentsOf: bytes)
    prepare(transfer.request)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(lines)
    message.deallocate()
    body.deallocate()
  }

  private func prepare(_ request: CurlRequest) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    osd_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
    osd_curl_set_receivers(
      easy,
      { bytes, size, count, this in active(this).receiveLine(bytes, size * count) },
      { bytes, size, count, this in active(this).receiveBody(bytes, size * count) },
      { this, _, _, _, sent in active(this).noteProgress(Int64(sent)) }, this)
    osd_curl_set_pointer(easy, CURLOPT_URL, request.url)
    osd_curl_set_protocols(easy)
    osd_curl_set_number(easy, CURLOPT_NOSIGNAL, 1)
    osd_curl_set_quick_end(easy)
    osd_curl_set_number(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    osd_curl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    osd_curl_set_number(easy, CURLOPT_BUFFERSIZE, 128 * 1024)
    osd_curl_set_number(
      easy, CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.milliseconds(atMost: Int(Int32.max)))
    if request.isLocal { osd_curl_set_pointer(easy, CURLOPT_PROXY, "") }
    prepareContent(request)
    prepareFields(request)
  }

  private func prepareContent(_ request: CurlRequest) {
    if request.method == "HEAD" { osd_curl_set_number(easy, CURLOPT_NOBODY, 1) }
    if request.body != nil {
      osd_curl_set_number(easy, CURLOPT_POST, 1)
      osd_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      osd_curl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
    }
    if request.method != "HEAD" {
      osd_curl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  private func prepareFields(_ request: CurlRequest) {
    // What the library would add by itself.
    if request.fields["accept"].isEmpty { append("Accept:") }
    if request.fields["content-type"].isEmpty { append("Content-Type:") }
    append("Expect:")
    for field in request.fields.all {
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    osd_curl_set_pointer(easy, CURLOPT_HTTPHEADER, lines)
  }

  private func append(_ line: String) {
    if let longer = curl_slist_append(lines, line) { lines = longer }
  }

  // MARK: Time

  private func noteProgress(_ sent: Int64) -> Int32 {
    if sent != sentBytes {
      sentBytes = sent
      clock.noteProgress()
    }
    return 0
  }

  /// When it has to end unless something happens before, and the error for it.
  func deadline(_ now: ContinuousClock.Instant) -> (ContinuousClock.Instant, CurlError)? {
    clock.deadline(at: now, isConnected: isConnected, isPaused: transfer.isPaused)
  }

  private var isConnected: Bool { osd_curl_is_connected(easy) != 0 }

  // MARK: Arriving parts

  private func receiveLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    clock.noteProgress()
    headBytes += count
    guard headBytes <= Self.maximumHead else {
      refusal = CurlError(
        .headTooLarge, "The head of the response has more than \(Self.maximumHead) bytes")
      return 0
    }
    guard !hasHead else { return count }  // fields after the body
    let raw = UnsafeRawBufferPointer(start: bytes, count: count)
    let text = String(decoding: raw, as: UTF8.self)
    let line = text.unicodeScalars.last == "\n" ? text.trimmingLineEnd() : text
    if line.isEmpty {
      endHead()
    } else if line.hasPrefix("HTTP/") {
      let parts = line.split(separator: " ", maxSplits: 2)
      status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
      reason = parts.count > 2 ? String(parts[2]) : ""
      fields = HTTPFields()
    } else if line.hasPrefix(" ") || line.hasPrefix("\t") {
      fields.extendLast(line.trimmingBlanks())
    } else if let colon = line.firstIndex(of: ":") {
      fields.add(String(line[..<colon]), line[line.index(after: colon)...].trimmingBlanks())
    }
    return count
  }

  private func endHead() {
    guard status >= 200 || status == 101 else { return }
    hasHead = true
    transfer.receive(head: (status, reason, fields))
  }

  private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    clock.noteProgress()
    guard !transfer.isEnded else { return 0 }
    let isTaken = transfer.receive(UnsafeRawBufferPointer(start: bytes, count: count))
    return isTaken ? count : Int(CURL_WRITEFUNC_PAUSE)
  }

  /// Ends the transfer with the library's result.
  func finish(_ result: CURLcode) {
    guard result != CURLE_OK else {
      transfer.finish(nil)
      return
    }
    if !hasHead, isConnected, CurlError.isLimitOfHeads(result) {
      refusal =
        refusal ?? CurlError(.headTooLarge, "The response has too many fields, or one too long")
    }
    var error =
      refusal
      ?? CurlError(result, detail: String(cString: message), isConnected: isConnected)
    error.isUnsent = osd_curl_sent(easy) == 0
    transfer.finish(error)
  }

  /// Ends the transfer because its time is over.
  func expire(_ error: CurlError) {
    var error = error
    error.isUnsent = osd_curl_sent(easy) == 0
    transfer.finish(error)
  }
}

/// The transfer whose address the library passes to a callback.
private func active(_ pointer: UnsafeMutableRawPointer?) -> ActiveTransfer {
  // swift-format-ignore: NeverForceUnwrap
  Unmanaged<ActiveTransfer>.fromOpaque(pointer!).takeUnretainedValue()
}

extension Duration {
  /// The time in whole milliseconds, rounded up, from 1 to a maximum.
  func milliseconds(atMost maximum: Int) -> Int {
    guard self > .zero else { return 1 }
    guard self < .milliseconds(maximum) else { return maximum }
    return max(1, Int((self / .milliseconds(1)).rounded(.up)))
  }
}

extension String {
  fileprivate func trimmingLineEnd() -> String {
    var scalars = unicodeScalars
    while let last = scalars.last, last == "\n" || last == "\r" { scalars.removeLast() }
    return String(scalars)
  }
}
