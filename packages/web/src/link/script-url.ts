/**
 * The addresses of the scripts that the page starts. Trusted Types are required: the only policy turns a name of this list, and
 * nothing else, into an address.
 */
import { pageUrl } from './page-url.ts';

interface TypedPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): unknown };
}

const OWN = /^\.\/(?:push-worker|assets\/highlight-[\w-]{8})\.js$/;

let policy: { createScriptURL(text: string): unknown } | undefined;

/** Returns the address of one of the page's own scripts. */
export function scriptUrl(name: string): unknown {
  const types = (window as unknown as { trustedTypes?: TypedPolicies }).trustedTypes;
  policy ??= types?.createPolicy('spool', { createScriptURL: ownAddress }) ?? { createScriptURL: ownAddress };
  return policy.createScriptURL(name);
}

function ownAddress(name: string): string {
  if (!OWN.test(name)) throw new Error(`The page has no script ${name}.`);
  return pageUrl(name).href;
}
