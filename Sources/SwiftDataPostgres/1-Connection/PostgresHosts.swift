import CPostgres

/// The hosts of an address, in their order.
struct PostgresHosts {
  private struct Host {
    var name = ""
    /// The network address in place of the name's; empty when it is to be looked up.
    var address = ""
    /// Empty for the usual one.
    var port = ""
  }

  private var hosts: [Host]
  /// libpq's keywords whose values have one item for each host.
  private let listed: [(keyword: String, item: KeyPath<Host, String>)]

  /// The hosts of a connection that is being made, also those of libpq's variables and of its service file.
  init(of handle: OpaquePointer) {
    var lists: [String: [String]] = [:]
    let options = PQconninfo(handle)
    defer { PQconninfoFree(options) }
    var option = options
    while let current = option, let keyword = current.pointee.keyword {
      if let value = current.pointee.val {
        lists[String(cString: keyword)] = String(cString: value)
          .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      option = current + 1
    }
    let (names, addresses) = (lists["host"] ?? [], lists["hostaddr"] ?? [])
    let ports = lists["port"] ?? []
    hosts = (0..<max(names.count, addresses.count, 1)).map { position in
      Host(
        name: position < names.count ? names[position] : "",
        address: position < addresses.count ? addresses[position] : "",
        port: position < ports.count ? ports[position] : ports.last ?? "")
    }
    listed =
      (names.isEmpty ? [] : [("host", \.name)])
      + (addresses.isEmpty ? [] : [("hostaddr", \.address)])
      + (ports.count > 1 ? [("port", \.port)] : [])
  }

  var count: Int { hosts.count }

  /// The position of the host from which a connection awaits an answer; nil for an unknown one.
  func position(of handle: OpaquePointer) -> Int? {
    let name = PQhost(handle).map { String(cString: $0) }
    let port = PQport(handle).map { String(cString: $0) }
    let address = PQhostaddr(handle).map { String(cString: $0) }
    let known = hosts.indices.filter { position in
      let host = hosts[position]
      return (host.name.isEmpty ? host.address : host.name) == name
        && (host.port.isEmpty || host.port == port)
    }
    return known.first { hosts[$0].address == address } ?? known.first
      // One without a name is the usual one, whose name libpq knows.
      ?? hosts.firstIndex { $0.name.isEmpty && $0.address.isEmpty }
  }

  mutating func remove(at position: Int) { hosts.remove(at: position) }

  /// libpq's keywords and values for these hosts.
  var parameters: [String: String] {
    var parameters: [String: String] = [:]
    for (keyword, item) in listed {
      parameters[keyword] = hosts.map { $0[keyPath: item] }.joined(separator: ",")
    }
    return parameters
  }
}
