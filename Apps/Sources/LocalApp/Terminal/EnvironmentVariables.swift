import Foundation

/// The process's environment, as defaults of options.
package struct EnvironmentVariables: Sendable {
  /// The values by the variables' names.
  package let values: [String: String]

  package init(_ values: [String: String] = ProcessInfo.processInfo.environment) {
    self.values = values
  }

  /// Returns an option's value, or else its variable's; an empty variable counts as unset.
  package func value(_ option: String?, _ variable: String) -> String? {
    option ?? values[variable].flatMap { $0.isEmpty ? nil : $0 }
  }
}
