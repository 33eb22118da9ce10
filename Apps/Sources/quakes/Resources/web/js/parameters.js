/** The API's parameters (docs/openapi.yaml) for the page's filters and order. */

/** Those that choose events. */
export const filterParameters = ({ magnitude, since, search, withdrawn }) => ({
  ...(magnitude !== null && { min_magnitude: String(magnitude) }),
  ...(since && { since }),
  ...(search.trim() && { search: search.trim() }),
  ...(withdrawn && { withdrawn: "true" }),
});

/** Those of the order. */
export function orderParameters({ sort }) {
  const [key, order] = sort.split("-");
  return { sort: key, order };
}
