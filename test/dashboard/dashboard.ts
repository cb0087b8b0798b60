import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { TestBrowser } from '../support/browser';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';

/** Not committed. Taken if the environment variable PICTURES is set. */
const PICTURES = join(__dirname, '..', '..', 'dashboard', 'pictures');

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 360, height: 740 };

/** A service with an account, and a browser in which its owner is signed in. */
export class Dashboard {
  private constructor(
    readonly service: TestService,
    readonly browser: TestBrowser,
    readonly owner: TestClient,
  ) {}

  static async start(options: Parameters<typeof TestService.start>[0] = {}): Promise<Dashboard> {
    const service = await TestService.start(options);
    return new Dashboard(service, await TestBrowser.start(), await service.newAccount('Ada'));
  }

  /**
   * Opens a page in a browser profile of its own, in English, UTC and the light theme unless said otherwise.
   * @param options.owner another account than the first.
   */
  async open(
    path: string,
    { owner = this.owner, ...options }: BrowserContextOptions & { owner?: TestClient } = {},
  ): Promise<Page> {
    const { accessToken = '' } = await this.service.signIn(owner);
    const cookie = { name: 'mgw_session', value: accessToken, domain: '127.0.0.1', path: '/' };
    return this.browser.open(new URL(path, this.service.url).href, {
      viewport: WIDE,
      locale: 'en-GB',
      timezoneId: 'UTC',
      colorScheme: 'light',
      storageState: {
        cookies: [{ ...cookie, expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' }],
        origins: [],
      },
      ...options,
    });
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.service.stop();
  }
}

/** The rules whose verdict depends on the theme. */
const RULES_OF_THEMES = ['color-contrast', 'link-in-text-block'];

/** What is wrong with a page for those who use a screen reader, need contrast, or have a narrow screen. */
export async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options: RunOptions = {
    // What passes is not described, which costs most.
    resultTypes: ['violations'],
    preload: false,
    ...(rules && { runOnly: rules }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return Number(overflow) > 0 ? [...faults, `The page is ${String(overflow)} px too wide`] : faults;
}

/** Returns the faults of a page in both themes, wide and narrow, and may keep a picture of each. The page ends wide and light. */
export async function faultsInAllViews(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [size, viewport] of Object.entries({ narrow: NARROW, wide: WIDE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(SETTLED);
      const view = `${name}-${size}-${colorScheme}`;
      await takePicture(page, view);
      const found = await faultsOf(page, colorScheme === 'dark' ? RULES_OF_THEMES : undefined);
      faults.push(...found.map((fault) => `${view}: ${fault}`));
    }
  }
  return faults;
}

/** After the page has drawn its new size and theme, and what moved has stopped. */
const SETTLED = `
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
        .map(({ finished }) => finished.catch(() => undefined)),
    ).then(() => undefined),
  )
`;

/** Keeps a picture of the whole page, if pictures are wanted. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
