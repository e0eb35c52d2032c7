/** Asks axe for what makes a page hard to use for people with assistive technology. */
import type { Page } from 'playwright-core';

/** The rules whose findings depend on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Returns the serious findings on a page. Only `colours` are checked where the same document was checked in another theme. */
export async function seriousFindings(
  page: Page,
  rules: 'all' | 'colours',
): Promise<readonly (readonly [rule: string, html: string | undefined])[]> {
  const { AxeBuilder } = await import('@axe-core/playwright');
  // Only in this page: a second one would take the keys.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules === 'all' ? axe : axe.withRules(OF_COLOURS)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes[0]?.html]);
}
