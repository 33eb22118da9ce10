/** The offline base map: Natural Earth's countries, unpacked from the compact form of basemap/. */

/** Undoes the delta coding of scripts/make-basemap.py. */
function unpack(deltas, scale) {
  const points = [];
  let x = 0;
  let y = 0;
  for (let i = 0; i < deltas.length; i += 2) {
    x += deltas[i];
    y += deltas[i + 1];
    points.push([x / scale, y / scale]);
  }
  return points;
}

const collection = (geometries) => ({
  type: "FeatureCollection",
  features: geometries.map((geometry) => ({ type: "Feature", properties: {}, geometry })),
});

/** Meridians and parallels every 30 degrees, with enough points to bend on the globe. */
function graticule() {
  const lines = [];
  for (let longitude = -180; longitude < 180; longitude += 30) {
    const line = [];
    for (let latitude = -84; latitude <= 84; latitude += 4) line.push([longitude, latitude]);
    lines.push(line);
  }
  for (let latitude = -60; latitude <= 60; latitude += 30) {
    const line = [];
    for (let longitude = -180; longitude <= 180; longitude += 4) line.push([longitude, latitude]);
    lines.push(line);
  }
  return lines;
}

/** The GeoJSON sources of the plain style: land, coast, borders, graticule. */
export async function loadBaseMap() {
  const response = await fetch("/basemap/countries.json");
  if (!response.ok) throw new Error(`the base map answered ${response.status}`);
  const { scale, land, holes, coast, borders } = await response.json();
  const polygons = land.map((ring, number) => ({
    type: "Polygon",
    coordinates: [ring, ...(holes[number] ?? [])].map((points) => unpack(points, scale)),
  }));
  const lines = (packed) =>
    packed.map((line) => ({ type: "LineString", coordinates: unpack(line, scale) }));
  return {
    land: collection(polygons),
    coast: collection(lines(coast)),
    borders: collection(lines(borders)),
    graticule: collection([{ type: "MultiLineString", coordinates: graticule() }]),
  };
}
