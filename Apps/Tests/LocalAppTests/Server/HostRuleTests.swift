import LocalApp
import Testing

@Suite("The names of hosts that a server answers to")
struct HostRuleTests {
  @Test("On all addresses, addresses and the machine's name are answered, other names are not")
  func hostsOfWildcard() {
    let rule = HostRule(boundHost: "0.0.0.0", machineName: "shaker")
    for host in ["192.168.1.7:8080", "[fe80::1]:8080", "shaker", "localhost", "127.0.0.1"] {
      #expect(rule.allows(host))
    }
    for host in ["evil.example", "shaker.evil.example", "", "1.2.3.4.5", "256.1.1.1"] {
      #expect(!rule.allows(host))
    }
    #expect(!rule.allows(nil))
    #expect(HostRule(boundHost: "Quakes.lan", machineName: "x").allows("quakes.LAN:80"))
  }
}
