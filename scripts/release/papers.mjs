/** Writes what accompanies the packages of a release: notes from the changelog, the list of components (SBOM), checksums. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';

/** Returns the section of CHANGELOG.md about a version, without its title. Throws if there is none. */
export function notesOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((each) => each.split(/[\s(]/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"; write it first`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}

/**
 * Returns the components that the packages are built from, in CycloneDX, from the lockfile. `npm sbom` is not used: it left out zod
 * and unbash (npm 11.19), and writes the time, a random number and the name of the folder.
 */
export function componentList(root, version) {
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const components = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path, { version: its, license, integrity = '' }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const purl = `pkg:npm/${name.replace('@', '%40')}@${its}`;
      const [algorithm, digest] = integrity.split('-');
      const hashes =
        algorithm === 'sha512' ? [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] : [];
      const licenses = license ? [{ license: { id: license } }] : [];
      return { type: 'library', 'bom-ref': `${purl}#${path}`, name, version: its, purl, hashes, licenses };
    });
  const component = { type: 'application', 'bom-ref': `spool@${version}`, name: 'spool', version };
  const list = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** Returns the lines of `SHA256SUMS`, as `sha256sum --check` reads them. */
export function checksums(folder, names) {
  return names
    .toSorted()
    .map((name) => {
      const digest = createHash('sha256')
        .update(fs.readFileSync(join(folder, name)))
        .digest('hex');
      return `${digest}  ${name}\n`;
    })
    .join('');
}
