import Foundation

/// Responses that no server should send to any request.
package enum HostileAnswers {
  /// Raw responses: invalid heads, wrong lengths, missing ends.
  package static var all: [Answer] {
    let body = #"{"a":1}"#
    var answers: [Answer] = [
      .nothing, .raw(""), .raw("\r\n\r\n"), .raw("hello\r\n\r\n"), .raw("<html>sign in</html>"),
      .raw("SSH-2.0-OpenSSH_9.6\r\n"), .raw("\u{16}\u{3}\u{1}\u{2}"), .raw("HTTP/1.1"),
      .raw("HTTP/9.9 200 OK\r\n\r\n"), .raw("HTTP/1.1 200"), .raw("HTTP/1.1 200 OK\r\nX"),
      .stall(""), .stall("HTTP/1.1 200 OK\r\n"),
      .stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
      .stall("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"),
      .stall("HTTP/1.1 100 Continue\r\n\r\n"), .stall("HTTP/1.1 103 Early Hints\r\n\r\n"),
      .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000) + "\r\n"),
      .raw("HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 1_000_000) + "\r\n\r\n"),
      .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\n\(body)"),
      .raw("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 7\r\n\r\n\(body)"),
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 7\r\n\r\n\(body)"),
      .redirect("/"),
      .raw("HTTP/1.1 302 X\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
      .raw("HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
      .raw("HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n"),
    ]
    for number in HostileNumber.inHeaders {
      answers += [
        .raw("HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\n\r\n\(body)"),
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(number)\r\n\(body)"),
        .raw("HTTP/1.1 503 X\r\nRetry-After: \(number)\r\nContent-Length: 0\r\n\r\n"),
        .raw("HTTP/1.1 429 X\r\nRetry-After: \(number)\r\nContent-Length: 0\r\n\r\n"),
        .raw(
          "HTTP/1.1 200 OK\r\nAge: \(number)\r\nCache-Control: max-age=\(number)\r\n"
            + "ETag: \(number)\r\nContent-Length: 7\r\n\r\n\(body)"),
        .raw("HTTP/1.1 \(number) X\r\nContent-Length: 0\r\n\r\n"),
      ]
    }
    for status in [
      199, 201, 204, 205, 206, 226, 300, 304, 305, 306, 399, 402, 407, 418, 451, 499, 507, 599, 600,
      999,
    ] {
      answers.append(
        .raw("HTTP/1.1 \(status) X\r\nContent-Length: 7\r\nConnection: close\r\n\r\n\(body)"))
    }
    return answers
  }

  /// Returns documents with a hostile number in place of `#`.
  package static func documents(_ templates: [String]) -> [Answer] {
    templates.flatMap { template in
      HostileNumber.all.map { .json(200, template.replacingOccurrences(of: "#", with: $0)) }
    }
      + [
        "", "null", "[]", "{}", "1", "\"a\"", "[[[]]]", String(repeating: "[", count: 10_000),
        String(repeating: "{\"a\":", count: 10_000), "{\"a\":1,\"a\":2}", "\u{FEFF}{}", "{} {}",
        "{\"a\":\"\\ud800\"}", "{\"a\":\"\\u0000\"}", "nul", "[1,]",
      ].map { .json(200, $0) }
  }
}
