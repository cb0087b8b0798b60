import type { Locator, Page, Response } from 'playwright-core';

/** An operation as the page shows it. */
export interface ShownOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
}

/** What the reader fills in by hand. */
export interface FilledIn {
  readonly path: Readonly<Record<string, string>>;
  /** Texts in the example of the body, and what takes their place. */
  readonly body: Readonly<Record<string, string>>;
}

/** What the reader sees of an answer. */
export interface ShownAnswer {
  /** What the browser received. */
  readonly status: number;
  /** What the page shows; nothing while an answer has not ended. */
  readonly shown: string | undefined;
  readonly body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Swagger UI, used as a reader uses it: by its buttons. */
export class SwaggerPage {
  private openTag: string | undefined;

  private constructor(private readonly page: Page) {}

  /** Folds up everything on the page: it draws all that is unfolded again at every step. */
  static async of(page: Page): Promise<SwaggerPage> {
    const folds = page.locator(
      'h3.opblock-tag[data-is-open=true] button.expand-operation, section.models.is-open h4 button',
    );
    await folds.first().waitFor();
    // From the last to the first: those that are folded count no more.
    for (const fold of (await folds.all()).toReversed()) await fold.dispatchEvent('click');
    return new SwaggerPage(page);
  }

  /** Presses Authorize and enters a credential for one scheme; the others are logged out. */
  async authorize(scheme: string, credential: string): Promise<void> {
    await this.page.click('.auth-wrapper .authorize');
    const dialog = this.page.locator('.dialog-ux');
    const logOut = dialog.locator('button:text-is("Logout")');
    while ((await logOut.count()) > 0) await logOut.first().click();
    const form = dialog.locator('.auth-container', { hasText: scheme });
    await form.locator('input').fill(credential);
    await form.locator('button[type=submit]').click();
    await dialog.locator('button.btn-done').first().click();
  }

  /** Opens the operation, presses Try it out, fills in what has to be, and presses Execute. */
  async execute(operation: ShownOperation, { path, body }: FilledIn): Promise<ShownAnswer> {
    await this.unfold(operation.tag);
    const block = this.page.locator(`[id="operations-${operation.tag}-${operation.id}"]`);
    const heading = block.locator('.opblock-summary-control');
    await heading.dispatchEvent('click'); // a click by position waits until the long page has stopped moving
    await block.locator('.try-out__btn').click();
    for (const [name, value] of Object.entries(path))
      await block.locator(`tr[data-param-in=path][data-param-name=${name}] input`).fill(value);
    await this.fillBody(block, body);
    const answered = this.answerOf(operation);
    await block.locator('button.execute').click();
    const answer = await answered;
    const read = await this.read(block, answer);
    await heading.dispatchEvent('click');
    return read;
  }

  private async unfold(tag: string): Promise<void> {
    if (this.openTag === tag) return;
    for (const each of [this.openTag, tag])
      if (each !== undefined)
        await this.page.locator(`h3[id="operations-tag-${each}"]`).dispatchEvent('click');
    this.openTag = tag;
  }

  private async fillBody(block: Locator, replacements: FilledIn['body']): Promise<void> {
    if (Object.keys(replacements).length === 0) return;
    const text = block.locator('textarea.body-param__text');
    let body = await text.inputValue();
    for (const [example, value] of Object.entries(replacements)) {
      if (!body.includes(example)) throw new Error(`The example has no ${example}: ${body}`);
      body = body.replace(example, value);
    }
    await text.fill(body);
  }

  private answerOf({ method, path }: ShownOperation): Promise<Response> {
    const route = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return this.page.waitForResponse(
      (response) =>
        response.request().method().toLowerCase() === method && route.test(new URL(response.url()).pathname),
    );
  }

  /** A stream of events does not end: the page shows nothing of it before it is cancelled. */
  private async read(block: Locator, answer: Response): Promise<ShownAnswer> {
    const status = answer.status();
    if (answer.headers()['content-type']?.startsWith('text/event-stream'))
      return { status, shown: undefined, body: undefined };
    const shown = await block.locator('.live-responses-table .response-col_status').last().innerText();
    const body: unknown = await answer.json().catch(() => undefined);
    return { status, shown: /^\d+/.exec(shown)?.[0], body };
  }
}

/** The text at a path of names in an answer. @throws Error where there is none. */
export function textAt(body: unknown, ...names: (string | number)[]): string {
  const found = names.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), body);
  if (typeof found !== 'string') throw new Error(`No ${names.join('.')} in ${JSON.stringify(body)}`);
  return found;
}
