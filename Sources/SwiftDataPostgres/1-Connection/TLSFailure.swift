/// The failures to make a connection as secure as its URL demands.
enum TLSFailure {
  /// Words of libpq's messages, and the remedies
  /// (https://www.postgresql.org/docs/15/libpq-ssl.html#LIBPQ-SSL-PROTECTION).
  private static let remedies: [(words: [String], remedy: String)] = [
    (
      ["does not match host name", "host name must be specified", "server's host name"],
      "the server's certificate is for another host; use the host name of the certificate in the"
        + " URL, or give the server a certificate for this one"
    ),
    (
      ["certificate verify failed"],
      "the authority of the server's certificate isn't trusted; let sslrootcert in the URL name the"
        + " file with the certificate of that authority, and check that none is out of date"
    ),
    (
      ["root certificate file", "root certificate store"],
      "the file with the certificates of trusted authorities can't be read; let sslrootcert in the"
        + " URL name it"
    ),
    (
      ["server does not support SSL"],
      "the server has no TLS, which sslmode in the URL demands; turn on ssl in its"
        + " postgresql.conf"
    ),
    (
      ["could not load private key file", "private key file", "could not read certificate file"],
      "the client's certificate can't be read; check sslcert and sslkey in the URL"
    ),
    (["SSL error"], "no connection with TLS can be made; check sslmode and the server's log"),
  ]

  /// The remedy for a message of a connection that couldn't be made; nil for one about something else.
  static func remedy(for message: String) -> String? {
    remedies.first { $0.words.contains { message.contains($0) } }?.remedy
  }
}
