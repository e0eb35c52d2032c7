/**
 * The page: the files of `dist/web`, read once, so that no path leads elsewhere. A missing asset is answered with 404 and never
 * with the page, because an old page must not run with a new daemon's assets. Keeps DOOR-6.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The placeholder in `index.html` for the nonce of this load. */
export const NONCE_PLACE = '__CSP_NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
};

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Spool</title>
<p>The gateway is running. This build has no page.</p></html>`;

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The files in memory: a rebuild of the programs must not mix its files with those that this gateway names. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(folder: string) {
    this.#files = new Map(
      namesIn(folder).map((name) => [
        name,
        { type: TYPES[extname(name)] ?? 'application/octet-stream', bytes: readFileSync(join(folder, name)) },
      ]),
    );
  }

  /** Returns a file by its path below the folder; null if it does not exist. */
  read(name: string): PageFile | null {
    return this.#files.get(name) ?? null;
  }

  page(): { readonly html: string; readonly policy: string } {
    const nonce = randomBytes(16).toString('base64');
    const html = this.#files.get('index.html')?.bytes.toString() ?? NOT_BUILT;
    return { html: html.replaceAll(NONCE_PLACE, nonce), policy: policyWith(nonce) };
  }
}

/** Returns the policy: no inline code or style without this load's nonce, no content from elsewhere, no frames. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types spool',
  ].join('; ');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return []; // this build has no page
  }
}
