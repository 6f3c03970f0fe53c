/** A name of the API, readable also if this dashboard has no better word for it. */
export const words = (name: string) => name.replaceAll(/[_-]/g, " ");
