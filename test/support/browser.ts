import { type Browser, chromium, type Page } from 'playwright-core';
import { findOrInstallBrowser } from '../../tools/browser';

/** Root has no sandbox, and nothing that is not under test may use the network. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long the first start may take: it installs a browser where that is possible. */
export const BROWSER_WITHIN_MS = 300_000;

/** How long a page may take for one step: far longer than any takes, unless it hangs. */
const PAGE_WITHIN_MS = 60_000;

/** A real browser with an empty profile, and what its pages complained about. */
export class TestBrowser {
  /** Errors of scripts and of the content security policy, as the browser's console shows them. */
  readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  /** @throws StackUnavailable where there is no browser and none can be installed. */
  static async start(): Promise<TestBrowser> {
    const executablePath = await findOrInstallBrowser();
    return new TestBrowser(await chromium.launch({ executablePath, args: FLAGS }));
  }

  /** Opens a page in a context of its own: it shares no cookies and no storage with others. */
  async open(url: string): Promise<Page> {
    const page = await this.browser.newPage({
      viewport: { width: 1024, height: 768 },
      reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(PAGE_WITHIN_MS);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}
