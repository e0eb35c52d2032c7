/** Words about machines with different versions of Spool, and the cure. Keeps NODE-62. */
import { VERSION } from './messages.ts';
import type { NodeInfo } from './nodes.ts';

/** Compares the numbers of two versions. A version that is not made of numbers does not count as older. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number));
  if (one === undefined || other === undefined) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && one[at]! < other[at]!;
}

/** Returns a line about a node whose version is not that of this machine; null if it is the same, or unknown. */
export function skewLine(node: Pick<NodeInfo, 'name' | 'road' | 'version'>, own = VERSION): string | null {
  const { name, road, version } = node;
  if (version === null || version === own) return null;
  if (!isOlder(version, own)) return `${name} runs ${version}, and this machine ${own}: spool daemon upgrade here`;
  if (road === 'ssh') return `${name} runs ${version}: spool node remove and spool node add copy ${own} there`;
  return `${name} runs ${version}: spool daemon upgrade there`;
}
