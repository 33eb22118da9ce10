// Code that shows texts of the feed needs this type to make them safe.
@_exported import enum HTTPContent.PlainText
