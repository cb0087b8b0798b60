import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TestBrowser } from '../../test/support/browser';
import { runWithWorkbench } from '../program';
import { type PageFigures, PageMeasurement, pagesOf } from './pages';
import { openShop } from './shop';

const MESSAGES = 1_000_000;
const MAX_MESSAGES = 10_000_000;

/** The pictures of the docs: page, theme. */
const PICTURES = [
  ['Overview', 'light'],
  ['Messages', 'light'],
  ['Phones', 'dark'],
  ['A campaign', 'light'],
] as const;

/** Measures the pages of the dashboard on an account with much data, and takes the pictures of the docs. */
runWithWorkbench(async (workbench, log) => {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: String(MESSAGES) },
      out: { type: 'string', default: join('docs', 'use', 'pictures') },
      all: { type: 'boolean', default: false },
    },
  });
  const messages = Number(values.messages);
  if (!Number.isInteger(messages) || messages < 1_000 || messages > MAX_MESSAGES)
    throw new Error(`--messages must be a whole number from 1000 to ${MAX_MESSAGES}`);
  const tools = await workbench.start({ hasPhones: true });
  const shop = await openShop(tools, messages, workbench, log);
  const browser = await TestBrowser.start();
  workbench.defer(() => browser.stop());
  const baseUrl = tools.installation.apiUrls[0] ?? '';
  const account = await tools.records.accounts.findOne({});
  const printed = await tools.installation.runAdminCommand('sign-in-link', '--email', account?.email ?? '');
  const [link = ''] = /\/sign-in#\S+/.exec(printed) ?? [];
  const pages = await PageMeasurement.signIn(browser, baseUrl, link);

  const figures: PageFigures[] = [];
  for (const [name, path, content] of pagesOf(shop)) {
    const measured = await pages.measure(name, path, content);
    log(`${name}: ${JSON.stringify(measured)}`);
    figures.push(measured);
  }
  const scrolling = await pages.scroll();
  log(`scrolling: ${scrolling} ms`);
  workbench.check();

  mkdirSync(values.out, { recursive: true });
  for (const [name, path, content] of pagesOf(shop)) {
    const themes = values.all
      ? (['light', 'dark'] as const)
      : PICTURES.flatMap(([page, theme]) => (page === name ? [theme] : []));
    for (const colorScheme of themes) {
      const page = await pages.open(path, { colorScheme });
      await page.locator(content).first().waitFor();
      await page.waitForTimeout(1_000);
      const file = `dashboard-${name.toLowerCase().replaceAll(' ', '-').replace('a-', '')}-${colorScheme}.png`;
      await page.screenshot({ path: join(values.out, file) });
      await page.context().close();
    }
  }
  process.stdout.write(`${markdownOf(figures, scrolling)}\n`);
});

function markdownOf(figures: readonly PageFigures[], scrollingMs: number): string {
  const task = (ms: number) => (ms === 0 ? 'below 50 ms' : `${Math.round(ms)} ms`);
  return [
    '| Page | Shown after | Longest task |',
    '| --- | --- | --- |',
    ...figures.map(
      ({ page, shownMs, longestTaskMs }) =>
        `| ${page} | ${(shownMs / 1_000).toFixed(2)} s | ${task(longestTaskMs)} |`,
    ),
    `| Scrolling through 10,000 messages | | ${task(scrollingMs)} |`,
  ].join('\n');
}
