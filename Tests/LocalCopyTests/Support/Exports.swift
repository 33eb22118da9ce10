// Visible in every file of the target.
@_exported import TestSupport
