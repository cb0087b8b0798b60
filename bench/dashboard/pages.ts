import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from '../../test/support/browser';
import type { Shop } from './shop';

export interface PageFigures {
  readonly page: string;
  /** Milliseconds from the call of the address until its content is shown. */
  readonly shownMs: number;
  /** The longest task of its scripts, in milliseconds; 0 if none took 50. */
  readonly longestTaskMs: number;
}

const WIDE = { width: 1440, height: 900 };
const TURNS = 3;

/** Rows that a turn of a wheel scrolls by. */
const STEP = 5;
const ROWS = 10_000;

const OBSERVE = `
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask', buffered: true });
`;

/** The pages of the account, each with a text that is there when it is shown. */
export function pagesOf({
  campaign,
  customer,
  phones,
}: Shop): [name: string, path: string, content: string][] {
  return [
    ['Overview', '/', '.recharts-area-curve'],
    ['Messages', '/messages', '[role=row] >> text=Your order'],
    ['Conversations', '/conversations', `text=${customer}`],
    ['A conversation', `/conversations/${encodeURIComponent(customer)}`, 'text=is my order ready'],
    ['Send', '/send', 'label >> text=Text'],
    ['Campaigns', '/campaigns', 'text=Last day of our autumn sale'],
    ['A campaign', `/campaigns/${campaign}`, 'text=By SIM'],
    ['Phones', '/phones', 'text=Office Vienna'],
    ['A phone', `/phones/${phones[0]?.deviceId ?? ''}`, 'text=Telekom'],
    ['Pools', '/pools', 'text=Newsletter'],
    ['Webhooks', '/webhooks', 'text=Old CRM'],
    ['API keys', '/api-keys', 'table'],
    ['Account', '/account', 'text=This browser'],
  ];
}

/** Opens pages of the dashboard and measures them. */
export class PageMeasurement {
  private readonly options: BrowserContextOptions;

  private constructor(
    private readonly browser: TestBrowser,
    private readonly baseUrl: string,
    storageState: BrowserContextOptions['storageState'],
  ) {
    this.options = { storageState, viewport: WIDE, locale: 'en-GB', timezoneId: 'UTC', colorScheme: 'light' };
  }

  /** @param link the path that signs in. */
  static async signIn(browser: TestBrowser, baseUrl: string, link: string): Promise<PageMeasurement> {
    const page = await browser.open(new URL(link, baseUrl).href);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const storageState = await page.context().storageState();
    await page.context().close();
    return new PageMeasurement(browser, baseUrl, storageState);
  }

  /** The best of several loads, each with an empty cache, because other work on the machine only adds time. */
  async measure(name: string, path: string, content: string): Promise<PageFigures> {
    const loads: Omit<PageFigures, 'page'>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const page = await this.open('about:blank');
      await page.addInitScript(OBSERVE);
      const start = performance.now();
      await page.goto(new URL(path, this.baseUrl).href, { waitUntil: 'commit' });
      await page.locator(content).first().waitFor();
      const shownMs = performance.now() - start;
      loads.push({ shownMs, longestTaskMs: await longestTask(page) });
      await page.context().close();
    }
    return {
      page: name,
      shownMs: Math.min(...loads.map(({ shownMs }) => shownMs)),
      longestTaskMs: Math.min(...loads.map(({ longestTaskMs }) => longestTaskMs)),
    };
  }

  /** Scrolls through 10,000 rows of the messages. @returns the longest task, in milliseconds. */
  async scroll(): Promise<number> {
    const page = await this.open('/messages');
    await page.getByRole('row').nth(5).waitFor();
    await page.evaluate(OBSERVE);
    await page.evaluate('window.longestTask = 0');
    const list = page.locator('[data-testid="messages"]');
    const rowHeight = Number(
      await page.evaluate(`document.querySelectorAll('[role=row]')[5].getBoundingClientRect().height`),
    );
    await list.hover();
    for (let row = 0; row < ROWS; row += STEP) {
      await page.mouse.wheel(0, STEP * rowHeight);
      if (row % 100 === 0) await page.waitForTimeout(50);
    }
    const top = Number(await page.evaluate(`document.querySelector('[data-testid="messages"]').scrollTop`));
    if (top < (ROWS - 1_000) * rowHeight) throw new Error(`The list scrolled ${top / rowHeight} rows only`);
    const longest = await longestTask(page);
    await page.context().close();
    return longest;
  }

  async open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const url = path === 'about:blank' ? path : new URL(path, this.baseUrl).href;
    return this.browser.open(url, { ...this.options, ...options });
  }
}

async function longestTask(page: Page): Promise<number> {
  return Number(await page.evaluate('window.longestTask'));
}
