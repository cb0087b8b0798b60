import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findOrInstallBrowser } from '../../tools/browser';

/** No sandbox, because root has none, and no network traffic of the browser's own. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name of this machine that is not local.
  '--host-resolver-rules=MAP gateway.test 127.0.0.1',
];

/** Timeout of one step on a page. */
const PAGE_TIMEOUT_MS = 60_000;

/** A real browser with an empty profile. */
export class TestBrowser {
  /** Script errors and content security policy violations of all pages. */
  readonly errors: string[] = [];
  private test: string | undefined;

  private constructor(private readonly browser: Browser) {}

  /** @throws StackUnavailable if there is no browser and none can be installed. */
  static async start(): Promise<TestBrowser> {
    const executablePath = await findOrInstallBrowser();
    return new TestBrowser(await chromium.launch({ executablePath, args: FLAGS }));
  }

  /**
   * Opens a page in a new context, without the cookies and storage of other pages. Those of an earlier test are closed, because
   * a live page works as long as it is open.
   */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    // The bench has no tests.
    const test = typeof expect === 'undefined' ? undefined : expect.getState().currentTestName;
    if (test !== this.test) await this.closePages();
    this.test = test;
    const context = await this.browser.newContext({
      viewport: { width: 1024, height: 768 },
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  private async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}
