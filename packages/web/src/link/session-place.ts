/** The machine of a session on the page: a session of a node has the id `NODE/ID`. */
export { pageId, placeOf } from '@spool/client';

/** Returns the path of a request about a session, or about a folder of a machine; for a node, the path goes through the gateway. */
export function apiPath(path: string): string {
  const [, node, id, tool] = /^sessions\/([^/?]+)\/([^/?]+)\/(.+)$/.exec(path) ?? [];
  return node === undefined ? path : `nodes/${encodeURIComponent(node)}/sessions/${id}/${tool}`;
}
