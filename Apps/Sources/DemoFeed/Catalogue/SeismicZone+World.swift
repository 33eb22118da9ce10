/// The zones of the demo. The corners are rough positions of known faults and plate boundaries.
extension SeismicZone {
  /// Zones with a dense network: many small events.
  static let regional: [SeismicZone] = [
    SeismicZone(
      "Northern California", "nc", depth: 7, spread: 9, weight: 10,
      line: [
        (40.3, -124.4), (39, -123.3), (38, -122.5), (37.2, -121.9), (36.6, -121.2),
        (35.9, -120.4), (35, -119.2),
      ]),
    SeismicZone(
      "Northern California", "nc", depth: 2, spread: 3, weight: 8,
      line: [
        (38.84, -122.83), (38.77, -122.72),
      ]),
    SeismicZone(
      "Off the coast of Northern California", "nc", depth: 14, spread: 15, weight: 3,
      line: [
        (40.4, -124.3), (40.4, -126.6),
      ]),
    SeismicZone(
      "Central California", "nc", depth: 6, spread: 6, weight: 4,
      line: [
        (37.66, -118.98), (37.5, -118.75),
      ]),
    SeismicZone(
      "Southern California", "ci", depth: 8, spread: 11, weight: 8,
      line: [
        (35, -119.2), (34.5, -117.9), (34.1, -117), (33.6, -116.2), (33.1, -115.6),
        (32.5, -115.3),
      ]),
    SeismicZone(
      "Southern California", "ci", depth: 11, spread: 7, weight: 6,
      line: [
        (34.1, -117.4), (33.6, -116.7), (33.1, -116.1),
      ]),
    SeismicZone(
      "Central California", "ci", depth: 6, spread: 13, weight: 7,
      line: [
        (34.5, -116.5), (35.6, -117.6), (36.4, -117.8), (37.4, -118.6),
      ]),
    SeismicZone(
      "Central Nevada", "nn", depth: 8, spread: 24, weight: 5,
      line: [
        (36.9, -116.8), (38, -117.9), (38.9, -118.8), (39.9, -119.9),
      ]),
    SeismicZone(
      "Washington", "uw", depth: 8, spread: 17, weight: 3,
      line: [
        (46.2, -122.2), (46.9, -121.8), (47.6, -122.4), (48.6, -121.9),
      ]),
    SeismicZone(
      "Utah", "uu", depth: 6, spread: 18, weight: 4,
      line: [
        (37.6, -113), (38.9, -112.2), (40.5, -111.8), (41.7, -112.1), (44.4, -110.8),
      ]),
    SeismicZone(
      "Western Montana", "mb", depth: 10, spread: 20, weight: 2,
      line: [
        (44.7, -111.1), (45.9, -111.9), (46.9, -112.6),
      ]),
    SeismicZone(
      "Western Texas", "tx", depth: 7, spread: 22, weight: 4,
      line: [
        (31.4, -104), (31.8, -103.2), (32.2, -101.9),
      ]),
    SeismicZone(
      "Oklahoma", "ok", depth: 6, spread: 24, weight: 2,
      line: [
        (36.9, -97.9), (36.3, -97.3), (35.7, -96.8),
      ]),
    SeismicZone(
      "Southeastern Missouri", "nm", depth: 8, spread: 8, weight: 1,
      line: [
        (35.9, -90), (36.5, -89.5),
      ]),
    SeismicZone(
      "Island of Hawaii", "hv", depth: 5, spread: 6, weight: 5,
      line: [
        (19.2, -155.5), (19.35, -155.3), (19.4, -155),
      ]),
    SeismicZone(
      "Island of Hawaii", "hv", depth: 31, spread: 7, weight: 3,
      line: [
        (19.15, -155.55), (19.25, -155.4),
      ]),
    SeismicZone(
      "Aleutian Islands", "ak", depth: 30, spread: 45, weight: 9, sinking: .left,
      line: [
        (51.6, -178.5), (52, -173), (52.8, -168.5), (54.3, -162.5), (55.8, -157), (57.5, -153.5),
        (59.5, -150),
      ]),
    SeismicZone(
      "Central Alaska", "ak", depth: 70, spread: 55, weight: 9, sinking: .left,
      line: [
        (59.8, -153), (61.5, -150.8), (63.2, -149.5), (64.5, -148.5),
      ]),
    SeismicZone(
      "Southeastern Alaska", "ak", depth: 12, spread: 28, weight: 3,
      line: [
        (60.2, -145), (60, -141), (58.5, -137.5), (56.3, -135.5),
      ]),
    SeismicZone(
      "Puerto Rico", "pr", depth: 12, spread: 9, weight: 3,
      line: [
        (18, -67.1), (17.95, -66.7),
      ]),
    SeismicZone(
      "Puerto Rico region", "pr", depth: 25, spread: 22, weight: 4,
      line: [
        (19, -67.5), (19.1, -65.5), (18.9, -64.5),
      ]),
  ]

  /// The world's plate boundaries: fewer events, larger ones.
  static let worldwide: [SeismicZone] = [
    SeismicZone(
      "Kermadec Islands region", "us", depth: 40, spread: 60, weight: 10, sinking: .right,
      line: [
        (-14.8, -173.5), (-18, -173), (-22, -175), (-26, -176.3), (-30, -177.5), (-35, -179),
      ]),
    SeismicZone(
      "Fiji region", "us", depth: 540, spread: 60, weight: 5,
      line: [
        (-17.5, 181.5), (-19.5, 182), (-22, 179.5),
      ]),
    SeismicZone(
      "Vanuatu region", "us", depth: 60, spread: 45, weight: 6, sinking: .left,
      line: [
        (-11.5, 166), (-14.5, 167), (-17.5, 168), (-20.5, 169.5), (-22.5, 171.5),
      ]),
    SeismicZone(
      "Bismarck Sea", "us", depth: 45, spread: 45, weight: 8,
      line: [
        (-10.7, 162.5), (-8.3, 158.5), (-6.3, 154.5), (-5.2, 152.2), (-6, 149.5), (-5.5, 146.5),
        (-3.5, 143), (-2.5, 139.5),
      ]),
    SeismicZone(
      "South of Java, Indonesia", "us", depth: 45, spread: 50, weight: 10, sinking: .right,
      line: [
        (-3, 132), (-6.5, 131), (-7.3, 128.5), (-8.3, 124), (-8.8, 119), (-9.2, 115),
        (-8.8, 110), (-7.5, 106), (-5.5, 103), (-2, 99.8), (1.5, 97.3), (4, 95.5), (8, 93.7),
        (13, 93),
      ]),
    SeismicZone(
      "Philippine Islands region", "us", depth: 50, spread: 45, weight: 8, sinking: .left,
      line: [
        (0.5, 126), (3, 127), (6.5, 126.6), (9.5, 126.4), (13, 124.5), (16, 122), (19, 121.3),
        (22.5, 121.3), (24, 122),
      ]),
    SeismicZone(
      "Ryukyu Islands, Japan", "us", depth: 40, spread: 35, weight: 4, sinking: .left,
      line: [
        (24, 122.5), (26.5, 127.5), (29.5, 130.5), (31.8, 132),
      ]),
    SeismicZone(
      "Mariana Islands region", "us", depth: 70, spread: 45, weight: 5, sinking: .right,
      line: [
        (34.5, 139.5), (30, 141.5), (26, 143), (21, 145.5), (16, 147), (13, 145),
      ]),
    SeismicZone(
      "Kuril Islands", "us", depth: 45, spread: 50, weight: 9, sinking: .left,
      line: [
        (35.3, 141), (38.3, 142.5), (41.5, 143.5), (43.5, 147), (46, 151.5), (49.5, 156),
        (52.5, 159.5), (55.5, 162.5),
      ]),
    SeismicZone(
      "South Island of New Zealand", "us", depth: 20, spread: 30, weight: 2,
      line: [
        (-37.5, 179.5), (-40, 177), (-42, 174), (-44.5, 168.5), (-47, 165.5),
      ]),
    SeismicZone(
      "Near the coast of central Chile", "us", depth: 40, spread: 45, weight: 8, sinking: .right,
      line: [
        (-38, -73.5), (-33, -72), (-28, -71.2), (-23, -70.2), (-19, -70.3), (-15.5, -74.5),
        (-11, -78), (-6, -80.5), (-1, -80.5),
      ]),
    SeismicZone(
      "Antofagasta, Chile", "us", depth: 115, spread: 50, weight: 3,
      line: [
        (-29, -68.5), (-24, -67.5), (-20, -68.8),
      ]),
    SeismicZone(
      "Off the coast of Central America", "us", depth: 35, spread: 35, weight: 6, sinking: .right,
      line: [
        (8, -82.8), (10, -85.8), (12.5, -88), (14, -92.5), (16, -98), (18, -103), (19.5, -106),
      ]),
    SeismicZone(
      "Leeward Islands", "us", depth: 40, spread: 35, weight: 3,
      line: [
        (11, -61.5), (14.5, -60.8), (17.5, -62), (19, -65), (19, -70), (19.2, -75),
      ]),
    SeismicZone(
      "Northern Colombia", "us", depth: 148, spread: 8, weight: 1,
      line: [
        (6.85, -73.15), (6.7, -73.05),
      ]),
    SeismicZone(
      "Northern Mid-Atlantic Ridge", "us", depth: 10, spread: 10, weight: 3,
      line: [
        (66.5, -18), (63.8, -22.5), (60, -29), (53, -35), (45, -28), (37, -32.5), (30, -42),
        (23, -45), (15, -46.5),
      ]),
    SeismicZone(
      "Central Mid-Atlantic Ridge", "us", depth: 10, spread: 10, weight: 2,
      line: [
        (15, -46.5), (8, -38.5), (1, -28), (-1, -15), (-10, -13),
      ]),
    SeismicZone(
      "Southern Mid-Atlantic Ridge", "us", depth: 10, spread: 10, weight: 2,
      line: [
        (-10, -13), (-20, -12), (-32, -13.5), (-45, -15.5), (-54, -1),
      ]),
    SeismicZone(
      "Southwest Indian Ridge", "us", depth: 10, spread: 12, weight: 2,
      line: [
        (-54, -1), (-52, 15), (-45, 35), (-35, 54), (-28, 67),
      ]),
    SeismicZone(
      "Carlsberg Ridge", "us", depth: 10, spread: 12, weight: 2,
      line: [
        (-25.5, 70), (-10, 66), (2, 66.5), (9.5, 57.5), (13.5, 50),
      ]),
    SeismicZone(
      "Southeast Indian Ridge", "us", depth: 10, spread: 12, weight: 2,
      line: [
        (-26, 70), (-37, 78), (-45, 95), (-50, 120), (-54, 145),
      ]),
    SeismicZone(
      "Southern East Pacific Rise", "us", depth: 10, spread: 12, weight: 3,
      line: [
        (10, -104), (0, -102), (-10, -110), (-22, -114), (-35, -110.5), (-50, -117), (-56, -130),
        (-62, -155),
      ]),
    SeismicZone(
      "South Sandwich Islands region", "us", depth: 50, spread: 45, weight: 3, sinking: .right,
      line: [
        (-55.5, -28), (-58, -25.3), (-60.2, -26),
      ]),
    SeismicZone(
      "Southern Iran", "us", depth: 10, spread: 45, weight: 4,
      line: [
        (27.5, 56), (30, 51), (33.5, 47), (37.5, 45), (38.5, 42), (38.3, 38.5), (36.5, 36.2),
      ]),
    SeismicZone(
      "Hindu Kush region, Afghanistan", "us", depth: 180, spread: 35, weight: 3,
      line: [
        (36.5, 71), (38.2, 73.5),
      ]),
    SeismicZone(
      "Kyrgyzstan-Xinjiang border region", "us", depth: 15, spread: 50, weight: 2,
      line: [
        (39.5, 73), (41.5, 78), (43, 84),
      ]),
    SeismicZone(
      "Nepal", "us", depth: 15, spread: 45, weight: 3,
      line: [
        (34, 74), (30, 80), (28, 85), (27.2, 92), (24.5, 94.5), (21, 95),
      ]),
    SeismicZone(
      "Crete, Greece", "us", depth: 15, spread: 35, weight: 3,
      line: [
        (35.2, 23.5), (36, 28), (38, 26), (38.5, 21.5), (40, 20), (42.8, 13.2),
      ]),
  ]
}
