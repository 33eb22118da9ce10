// Visible in every file of the target.
@_exported import StoreTesting
@_exported import TestSupport
