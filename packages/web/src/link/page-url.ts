/** Returns an address relative to the page, so that it works under any base path. */
export const pageUrl = (path: string): URL => new URL(path, document.baseURI);
